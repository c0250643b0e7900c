import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { Point } from '@noble/ed25519';
import { base58 } from '@scure/base';

export const systemProgram = '11111111111111111111111111111111';
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
/** The memo program that litesvm includes. */
export const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** The 32 bytes of an address, or undefined if the text is not one. */
export function addressBytes(text: string): Uint8Array | undefined {
  return bytesOf(text, 32);
}

/** The bytes of a base58 text, or undefined if it does not have exactly this many. */
export function bytesOf(text: string, count: number): Uint8Array | undefined {
  if (text.length < count || text.length > count * 1.4) return undefined;
  try {
    const bytes = base58.decode(text);
    return bytes.length === count ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** The account with `owner`'s tokens of a mint. */
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

/** Uses node:crypto, which signs synchronously, unlike WebCrypto: an effect must be one synchronous step. */
export function keypairFromSeed(seed: Uint8Array): Keypair {
  const der = Buffer.concat([pkcs8Prefix, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { address: base58.encode(publicBytes(key)), sign: (message) => sign(null, message, key) };
}

function publicBytes(key: KeyObject): Uint8Array {
  return Buffer.from(String(createPublicKey(key).export({ format: 'jwk' }).x), 'base64url');
}

type AccountUse = { address: string; writable: boolean };
export type Instruction = { program: string; accounts: AccountUse[]; data: Uint8Array };

const writable = (address: string): AccountUse => ({ address, writable: true });
const readonly = (address: string): AccountUse => ({ address, writable: false });

export function transferSol(from: string, to: string, lamports: bigint): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return { program: systemProgram, accounts: [writable(from), writable(to)], data };
}

type TokenHolder = { owner: string; account: string };

/** Creates the recipient's token account at the payer's cost. Does nothing if the account exists. */
export function createTokenAccount(payer: string, holder: TokenHolder, mint: string): Instruction {
  return {
    program: associatedTokenProgram,
    accounts: [
      writable(payer),
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
  const accounts = [
    writable(from.account),
    readonly(amount.mint),
    writable(to.account),
    readonly(from.owner),
  ];
  return { program: tokenProgram, accounts, data };
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

/** The contents of a token account; undefined if the bytes are not one. */
export function readHolding(data: Uint8Array) {
  if (data.length !== 165) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return {
    mint: base58.encode(bytes.subarray(0, 32)),
    owner: base58.encode(bytes.subarray(32, 64)),
    units: bytes.readBigUInt64LE(64),
  };
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

/** A legacy message that only the payer signs: its bytes, and its accounts in their order. */
export function compileMessage(payer: string, instructions: Instruction[], blockhash: string) {
  const uses = instructions.flatMap(({ accounts }) => accounts);
  const changed = new Set([payer, ...uses.filter((use) => use.writable).map(({ address }) => address)]);
  const programs = instructions.map(({ program }) => program);
  const accounts = [...new Set([...changed, ...uses.map(({ address }) => address), ...programs])];
  const bytes = Buffer.concat([
    // One writable signer, no readonly signers, and the number of the other readonly accounts.
    Buffer.of(1, 0, accounts.length - changed.size),
    shortBytes(accounts, (address) => base58.decode(address)),
    base58.decode(blockhash),
    shortBytes(instructions, ({ program, accounts: used, data }) =>
      Buffer.concat([
        Buffer.of(accounts.indexOf(program)),
        shortBytes(used, ({ address }) => Buffer.of(accounts.indexOf(address))),
        shortLength(data.length),
        data,
      ]),
    ),
  ]);
  return { accounts, writable: changed.size, bytes };
}

export function signedTransaction(signature: Uint8Array, message: Uint8Array): Uint8Array {
  return Buffer.concat([shortLength(1), signature, message]);
}

function shortBytes<Item>(items: Item[], encode: (item: Item) => Uint8Array): Uint8Array {
  return Buffer.concat([shortLength(items.length), ...items.map(encode)]);
}

/** Solana's compact-u16: seven bits a byte, lowest first. */
function shortLength(length: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = length; ; rest >>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}
