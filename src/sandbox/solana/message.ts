import { base58 } from '@scure/base';
import type { AccountUse, Instruction } from './instructions.ts';

type CompiledInstruction = { programIndex: number; accounts: number[]; data: Uint8Array };

/** A legacy transaction message, as its bytes say it. */
type Message = {
  signers: number;
  readonlySigners: number;
  readonlyOthers: number;
  accounts: string[];
  blockhash: string;
  instructions: CompiledInstruction[];
};

export function compileMessage(payer: string, instructions: Instruction[], blockhash: string): Message {
  const uses = mergeUses([
    { address: payer, signer: true, writable: true },
    ...instructions.flatMap((instruction) => instruction.accounts),
    ...instructions.map(({ program }) => ({ address: program, signer: false, writable: false })),
  ]);
  const group = (signer: boolean, writable: boolean): AccountUse[] =>
    uses.filter((use) => use.signer === signer && use.writable === writable);
  const ordered = [
    ...group(true, true),
    ...group(true, false),
    ...group(false, true),
    ...group(false, false),
  ];
  const accounts = ordered.map((use) => use.address);
  const indexOf = (address: string): number => accounts.indexOf(address);
  return {
    signers: ordered.filter((use) => use.signer).length,
    readonlySigners: group(true, false).length,
    readonlyOthers: group(false, false).length,
    accounts,
    blockhash,
    instructions: instructions.map((instruction) => ({
      programIndex: indexOf(instruction.program),
      accounts: instruction.accounts.map((use) => indexOf(use.address)),
      data: instruction.data,
    })),
  };
}

/** One entry an address, in order of first use, with the widest rights any use asks for. */
function mergeUses(uses: AccountUse[]): AccountUse[] {
  const merged = new Map<string, AccountUse>();
  for (const { address, signer, writable } of uses) {
    const known = merged.get(address);
    merged.set(address, {
      address,
      signer: signer || (known?.signer ?? false),
      writable: writable || (known?.writable ?? false),
    });
  }
  return [...merged.values()];
}

export function encodeMessage(message: Message): Uint8Array {
  return Buffer.concat([
    Buffer.of(message.signers, message.readonlySigners, message.readonlyOthers),
    shortLength(message.accounts.length),
    ...message.accounts.map((address) => base58.decode(address)),
    base58.decode(message.blockhash),
    shortLength(message.instructions.length),
    ...message.instructions.map((instruction) =>
      Buffer.concat([
        Buffer.of(instruction.programIndex),
        shortLength(instruction.accounts.length),
        Buffer.from(instruction.accounts),
        shortLength(instruction.data.length),
        instruction.data,
      ]),
    ),
  ]);
}

export function encodeTransaction(signatures: Uint8Array[], message: Uint8Array): Uint8Array {
  return Buffer.concat([shortLength(signatures.length), ...signatures, message]);
}

export function decodeTransaction(wire: Uint8Array): { signatures: string[]; message: Message } {
  const reader = new Reader(wire);
  const signatures = reader.list(() => base58.encode(reader.bytes(64)));
  const signers = reader.byte();
  const readonlySigners = reader.byte();
  const readonlyOthers = reader.byte();
  const accounts = reader.list(() => base58.encode(reader.bytes(32)));
  const blockhash = base58.encode(reader.bytes(32));
  const instructions = reader.list(() => ({
    programIndex: reader.byte(),
    accounts: reader.list(() => reader.byte()),
    data: reader.bytes(reader.length()),
  }));
  return {
    signatures,
    message: { signers, readonlySigners, readonlyOthers, accounts, blockhash, instructions },
  };
}

/** Solana's compact-u16: seven bits a byte, least first. */
function shortLength(length: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = length; ; rest >>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

class Reader {
  #at = 0;
  readonly #wire: Uint8Array;

  constructor(wire: Uint8Array) {
    this.#wire = wire;
  }

  byte(): number {
    return this.bytes(1)[0] ?? 0;
  }

  bytes(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.#wire.length) throw new Error('a transaction ends early');
    const bytes = this.#wire.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  length(): number {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) return length;
    }
  }

  list<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let left = this.length(); left > 0; left -= 1) items.push(read());
    return items;
  }
}
