import { base58 } from '@scure/base';
import type { Account } from '../store/accounts.ts';
import { lookupTableProgram } from './address.ts';

// The lookup table program's layout: 56 bytes of its own, then the addresses.

const ownBytes = 56;
const addressBytes = 32;

/** A table that nobody may change any more, with these addresses. */
export function lookupTable(address: string, addresses: string[], slot: number): Omit<Account, 'lamports'> {
  const head = Buffer.alloc(ownBytes);
  head.writeUInt32LE(1, 0);
  head.writeBigUInt64LE(2n ** 64n - 1n, 4);
  head.writeBigUInt64LE(BigInt(slot), 12);
  const data = Buffer.concat([head, ...addresses.map((entry) => base58.decode(entry))]);
  return { address, owner: lookupTableProgram, data };
}

/** What a table says of itself, in the words of a node. Nobody may change it, so it names no authority. */
export function readLookupTable(data: Uint8Array): object {
  const bytes = Buffer.from(data);
  const addresses: string[] = [];
  for (let at = ownBytes; at < bytes.length; at += addressBytes)
    addresses.push(base58.encode(bytes.subarray(at, at + addressBytes)));
  return {
    deactivationSlot: bytes.readBigUInt64LE(4).toString(),
    lastExtendedSlot: bytes.readBigUInt64LE(12).toString(),
    lastExtendedSlotStartIndex: bytes.readUInt8(20),
    addresses,
  };
}
