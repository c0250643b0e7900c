import { base58 } from '@scure/base';
import type { Account } from '../store/accounts.ts';
import { lookupTableProgram } from './address.ts';

// The lookup table program's layout: 56 bytes of its own, then the addresses.

const ownBytes = 56;

/** A table that nobody may change any more, with these addresses. */
export function lookupTable(address: string, addresses: string[], slot: number): Omit<Account, 'lamports'> {
  const head = Buffer.alloc(ownBytes);
  head.writeUInt32LE(1, 0);
  head.writeBigUInt64LE(2n ** 64n - 1n, 4);
  head.writeBigUInt64LE(BigInt(slot), 12);
  const data = Buffer.concat([head, ...addresses.map((entry) => base58.decode(entry))]);
  return { address, owner: lookupTableProgram, data };
}
