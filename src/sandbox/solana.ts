import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { Point } from '@noble/ed25519';
import { base58 } from '@scure/base';

export const systemProgram = '11111111111111111111111111111111';
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const lookupTableProgram = 'AddressLookupTab1e1111111111111111111111111';
/** The memo program that litesvm includes. */
export const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** The 32 bytes of an address, or undefined if the text is not one. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (text.length < 32 || text.length > 44) return undefined;
  try {
    const bytes = base58.decode(text);
    return bytes.length === 32 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** The account that holds `owner`'s tokens of a mint. */
export function tokenAccountOf(owner: string, mint: string): string {
  return programAddress([owner, tokenProgram, mint], associatedTokenProgram);
}

/** Solana's find_program_address: the first bump whose hash is not a public key. */
function programAddress(seeds: string[], program: string): string {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(base58.decode(seed));
    const bytes = hash
      .update(Buffer.of(bump))
      .update(base58.decode(program))
      .update('ProgramDerivedAddress')
      .digest();
    if (!isOnCurve(bytes)) return base58.encode(bytes);
  }
  throw new Error('no program address for these seeds');
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    Point.fromBytes(new Uint8Array(bytes));
    return true;
  } catch {
    return false;
  }
}

export type Keypair = { address: string; sign(message: Uint8Array): Uint8Array };

/** PKCS#8 of an Ed25519 private key is this prefix and then its 32 bytes. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** node:crypto signs synchronously, unlike WebCrypto: an effect must be one synchronous piece. */
export function keypairFromSeed(seed: Uint8Array): Keypair {
  const der = Buffer.concat([pkcs8Prefix, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { address: base58.encode(publicBytes(key)), sign: (message) => sign(null, message, key) };
}

function publicBytes(key: KeyObject): Uint8Array {
  return Buffer.from(String(createPublicKey(key).export({ format: 'jwk' }).x), 'base64url');
}

type AccountUse = { address: string; signer: boolean; writable: boolean };
export type Instruction = { program: string; accounts: AccountUse[]; data: Uint8Array };

const signerWritable = (address: string): AccountUse => ({ address, signer: true, writable: true });
const signerReadonly = (address: string): AccountUse => ({ address, signer: true, writable: false });
const writable = (address: string): AccountUse => ({ address, signer: false, writable: true });
const readonly = (address: string): AccountUse => ({ address, signer: false, writable: false });

export function transferSol(from: string, to: string, lamports: bigint): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return { program: systemProgram, accounts: [signerWritable(from), writable(to)], data };
}

type TokenHolder = { owner: string; account: string };

/** Creates the recipient's token account at the payer's cost. Does nothing if the account exists. */
export function createTokenAccount(payer: string, holder: TokenHolder, mint: string): Instruction {
  return {
    program: associatedTokenProgram,
    accounts: [
      signerWritable(payer),
      writable(holder.account),
      readonly(holder.owner),
      readonly(mint),
      readonly(systemProgram),
      readonly(tokenProgram),
    ],
    data: Buffer.of(1),
  };
}

type TokenAmount = { mint: string; units: bigint; decimals: number };

export function transferToken(from: TokenHolder, to: TokenHolder, amount: TokenAmount): Instruction {
  const data = Buffer.alloc(10);
  data.writeUInt8(12, 0);
  data.writeBigUInt64LE(amount.units, 1);
  data.writeUInt8(amount.decimals, 9);
  return {
    program: tokenProgram,
    accounts: [
      writable(from.account),
      readonly(amount.mint),
      writable(to.account),
      signerReadonly(from.owner),
    ],
    data,
  };
}

export function memo(text: string): Instruction {
  return { program: memoProgram, accounts: [], data: Buffer.from(text, 'utf8') };
}

// The token program's account layouts: 82 bytes for a mint, 165 for a holder.

export function mintData(authority: string, supply: bigint, decimals: number): Uint8Array {
  const data = Buffer.alloc(82);
  data.writeUInt32LE(1, 0);
  data.set(base58.decode(authority), 4);
  data.writeBigUInt64LE(supply, 36);
  data.writeUInt8(decimals, 44);
  data.writeUInt8(1, 45);
  return data;
}

export function holderData(mint: string, owner: string, units: bigint): Uint8Array {
  const data = Buffer.alloc(165);
  data.set(base58.decode(mint), 0);
  data.set(base58.decode(owner), 32);
  data.writeBigUInt64LE(units, 64);
  data.writeUInt8(1, 108);
  return data;
}

type Holding = { mint: string; owner: string; units: bigint };

/** The contents of a token account; undefined if the bytes are not one. */
export function readHolding(data: Uint8Array): Holding | undefined {
  if (data.length !== 165) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return {
    mint: base58.encode(bytes.subarray(0, 32)),
    owner: base58.encode(bytes.subarray(32, 64)),
    units: bytes.readBigUInt64LE(64),
  };
}

type Mint = { authority: string; supply: bigint; decimals: number };

/** The contents of a mint; undefined if the bytes are not one. */
export function readMint(data: Uint8Array): Mint | undefined {
  if (data.length !== 82) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const authority = base58.encode(bytes.subarray(4, 36));
  return { authority, supply: bytes.readBigUInt64LE(36), decimals: bytes.readUInt8(44) };
}

export function withUnits(data: Uint8Array, offset: 36 | 64, units: bigint): Uint8Array {
  const copy = Buffer.from(data);
  copy.writeBigUInt64LE(units, offset);
  return copy;
}

export function readSupply(mint: Uint8Array): bigint {
  return Buffer.from(mint).readBigUInt64LE(36);
}

/** Decimal digits with a point, never through a float. */
export function decimal(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

type CompiledInstruction = { programIndex: number; accounts: number[]; data: Uint8Array };

/** Accounts in a lookup table, by index. */
type Lookup = { table: string; writable: number[]; readonly: number[] };

/** A transaction message as encoded. `accounts` are those in the message itself. */
export type Message = {
  version: 'legacy' | 0 | 1;
  signers: number;
  readonlySigners: number;
  readonlyOthers: number;
  accounts: string[];
  blockhash: string;
  instructions: CompiledInstruction[];
  lookups: Lookup[];
};

/** The accounts that lookups resolve to. A message's indexes count its own accounts first, then these. */
export type Loaded = { writable: string[]; readonly: string[] };

/** The forms that a transaction can have on the wire. */
export type MessageForm = 'legacy' | 'v0' | 'v0-lookups' | 'v1';

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
    version: 'legacy',
    lookups: [],
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

/** One entry per address, in order of first use, with the widest rights that any use needs. */
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

const versions = { legacy: 'legacy', v0: 0, 'v0-lookups': 0, v1: 1 } as const;

/** The same message in another form; `table` is the lookup table for its accounts. */
export function inForm(
  message: Message,
  form: MessageForm,
  table: string,
): { message: Message; loaded: Loaded } {
  const version = versions[form];
  if (form !== 'v0-lookups')
    return { message: { ...message, version }, loaded: { writable: [], readonly: [] } };
  const { accounts, signers, readonlyOthers } = message;
  const programs = new Set(message.instructions.map(({ programIndex }) => programIndex));
  const staysInside = (index: number): boolean => index < signers || programs.has(index);
  const indexes = [...accounts.keys()];
  const own = indexes.filter(staysInside);
  const isWritable = (index: number): boolean => index < accounts.length - readonlyOthers;
  const writable = indexes.filter((index) => !staysInside(index) && isWritable(index));
  const readonly = indexes.filter((index) => !staysInside(index) && !isWritable(index));
  const order = [...own, ...writable, ...readonly];
  const addressesOf = (places: number[]): string[] => places.map((index) => accounts[index] ?? '');
  const lookup = {
    table,
    writable: writable.map((_, place) => place),
    readonly: readonly.map((_, place) => writable.length + place),
  };
  return {
    message: {
      ...message,
      version,
      readonlyOthers: own.length - signers,
      accounts: addressesOf(own),
      instructions: message.instructions.map(({ programIndex, accounts: used, data }) => ({
        programIndex: order.indexOf(programIndex),
        accounts: used.map((index) => order.indexOf(index)),
        data,
      })),
      lookups: [lookup],
    },
    loaded: { writable: addressesOf(writable), readonly: addressesOf(readonly) },
  };
}

export const allAccounts = ({ accounts }: Message, { writable, readonly }: Loaded): string[] => [
  ...accounts,
  ...writable,
  ...readonly,
];

export function encodeMessage(message: Message): Uint8Array {
  if (message.version === 1) return encodeVersion1(message);
  return Buffer.concat([
    message.version === 0 ? Buffer.of(versionFlag) : Buffer.alloc(0),
    Buffer.of(message.signers, message.readonlySigners, message.readonlyOthers),
    shortLength(message.accounts.length),
    ...message.accounts.map((address) => base58.decode(address)),
    base58.decode(message.blockhash),
    shortLength(message.instructions.length),
    ...message.instructions.map((instruction) =>
      Buffer.concat([
        Buffer.of(instruction.programIndex),
        shortBytes(instruction.accounts),
        shortBytes(instruction.data),
      ]),
    ),
    ...(message.version === 0 ? [encodeLookups(message.lookups)] : []),
  ]);
}

function encodeLookups(lookups: Lookup[]): Uint8Array {
  const entries = lookups.flatMap(({ table, writable, readonly }) => [
    base58.decode(table),
    shortBytes(writable),
    shortBytes(readonly),
  ]);
  return Buffer.concat([shortLength(lookups.length), ...entries]);
}

/** Counts and headers come first, then the items they count. No configuration is encoded. */
function encodeVersion1({ accounts, instructions, ...message }: Message): Uint8Array {
  const headers = instructions.map((instruction) => {
    const header = Buffer.of(instruction.programIndex, instruction.accounts.length, 0, 0);
    header.writeUInt16LE(instruction.data.length, 2);
    return header;
  });
  return Buffer.concat([
    Buffer.of(versionFlag | 1, message.signers, message.readonlySigners, message.readonlyOthers),
    Buffer.alloc(4),
    base58.decode(message.blockhash),
    Buffer.of(instructions.length, accounts.length),
    ...accounts.map((address) => base58.decode(address)),
    ...headers,
    ...instructions.flatMap((instruction) => [Buffer.from(instruction.accounts), instruction.data]),
  ]);
}

const versionFlag = 0x80;

/** Version 1 has its signatures last, and only its header says how many there are. */
export function encodeTransaction(signatures: Uint8Array[], message: Uint8Array): Uint8Array {
  if (message[0] === (versionFlag | 1)) return Buffer.concat([message, ...signatures]);
  return Buffer.concat([shortLength(signatures.length), ...signatures, message]);
}

export function decodeTransaction(wire: Uint8Array): { signatures: string[]; message: Message } {
  const reader = new Reader(wire);
  const signature = (): string => base58.encode(reader.bytes(64));
  if (wire[0] === (versionFlag | 1)) {
    const message = decodeVersion1(reader);
    return { signatures: Array.from({ length: message.signers }, signature), message };
  }
  const signatures = reader.list(signature);
  const first = reader.byte();
  const version = first === versionFlag ? 0 : 'legacy';
  const signers = version === 0 ? reader.byte() : first;
  const readonlySigners = reader.byte();
  const readonlyOthers = reader.byte();
  const accounts = reader.list(() => base58.encode(reader.bytes(32)));
  const blockhash = base58.encode(reader.bytes(32));
  const instructions = reader.list(() => ({
    programIndex: reader.byte(),
    accounts: reader.list(() => reader.byte()),
    data: reader.bytes(reader.length()),
  }));
  const lookups = version === 0 ? reader.list(() => decodeLookup(reader)) : [];
  const head = { version, signers, readonlySigners, readonlyOthers } as const;
  return { signatures, message: { ...head, accounts, blockhash, instructions, lookups } };
}

function decodeLookup(reader: Reader): Lookup {
  const table = base58.encode(reader.bytes(32));
  const writable = reader.list(() => reader.byte());
  return { table, writable, readonly: reader.list(() => reader.byte()) };
}

function decodeVersion1(reader: Reader): Message {
  const [, signers = 0, readonlySigners = 0, readonlyOthers = 0] = reader.bytes(4);
  reader.bytes(4);
  const blockhash = base58.encode(reader.bytes(32));
  const [instructionCount = 0, accountCount = 0] = reader.bytes(2);
  const accounts = Array.from({ length: accountCount }, () => base58.encode(reader.bytes(32)));
  const headers = Array.from({ length: instructionCount }, () => reader.bytes(4));
  const instructions = headers.map(([programIndex = 0, used = 0, low = 0, high = 0]) => ({
    programIndex,
    accounts: [...reader.bytes(used)],
    data: reader.bytes(low | (high << 8)),
  }));
  const head = { version: 1, signers, readonlySigners, readonlyOthers } as const;
  return { ...head, accounts, blockhash, instructions, lookups: [] };
}

const shortBytes = (bytes: ArrayLike<number>): Uint8Array =>
  Buffer.concat([shortLength(bytes.length), Uint8Array.from(bytes)]);

/** Solana's compact-u16: seven bits a byte, lowest first. */
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
