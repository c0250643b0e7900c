import { base58 } from '@scure/base';

/** A transaction, as far as the rules read it. */
export type ChainTransaction = {
  readonly signature: string;
  readonly slot: number;
  readonly blockTimeS: number | undefined;
  readonly failed: boolean;
  readonly feeLamports: bigint;
  readonly accounts: readonly string[];
  readonly preLamports: readonly bigint[];
  readonly postLamports: readonly bigint[];
  readonly preTokens: readonly TokenBalance[];
  readonly postTokens: readonly TokenBalance[];
  /** Outer and inner ones, in the order in which they ran. */
  readonly instructions: readonly Instruction[];
  /** What the instructions move; empty if the transaction failed. */
  readonly movements: readonly Movement[];
  /** It has instructions whose amounts only the parties can read. */
  readonly isConfidential: boolean;
};

export type TokenBalance = {
  readonly account: string;
  readonly mint: string;
  readonly owner: string | undefined;
  readonly units: bigint;
  readonly decimals: number;
  /** The amount as wallets show it. It differs from what is moved if the mint scales amounts. */
  readonly shown: string;
};

const knownVersions: readonly Exact[] = ['legacy', 0n, 1n];

/** Reads `getTransaction` in `json` encoding. Throws `Unreadable` if it is not in the form that the rules know. */
export function readTransaction(result: Exact): ChainTransaction {
  const whole = objectOf(result, 'result');
  // A node that gives no version is older than transaction versions.
  if (!knownVersions.includes(whole.version ?? 'legacy'))
    throw new Unreadable('new-version', 'unknown-version');
  const { signatures, message } = objectOf(whole.transaction, 'transaction');
  const meta = objectOf(whole.meta, 'meta');
  if (meta.err === undefined) throw new Unreadable('meta/no-err');
  const accounts = accountsOf(objectOf(message, 'message').accountKeys, meta.loadedAddresses);
  const lamports = (name: 'preBalances' | 'postBalances'): bigint[] => {
    const balances = listOf(meta[name], name).map((balance) => u64Of(balance, name));
    if (balances.length !== accounts.length) throw new Unreadable(`${name}/other-count`);
    return balances;
  };
  const instructions = instructionsOf(
    objectOf(message, 'message').instructions,
    meta.innerInstructions,
    accounts,
  );
  const failed = meta.err !== null;
  return {
    signature: textOf(listOf(signatures, 'signatures')[0], 'first-signature'),
    slot: countOf(whole.slot, 'slot'),
    blockTimeS: isNothing(whole.blockTime) ? undefined : countOf(whole.blockTime, 'blockTime'),
    failed,
    feeLamports: u64Of(meta.fee, 'fee'),
    accounts,
    preLamports: lamports('preBalances'),
    postLamports: lamports('postBalances'),
    preTokens: tokensOf(meta.preTokenBalances, accounts),
    postTokens: tokensOf(meta.postTokenBalances, accounts),
    instructions,
    movements: failed ? [] : movementsIn(instructions),
    isConfidential: movesConfidentially(instructions),
  };
}

export function isNothing(value: Exact | undefined): value is undefined | null {
  return value === undefined || value === null;
}

/**
 * Indexes in instructions and balances count static keys first, then loaded writable keys, then loaded readonly keys.
 */
function accountsOf(keys: Exact | undefined, loaded: Exact | undefined): string[] {
  const { writable = [], readonly = [] } = isNothing(loaded) ? {} : objectOf(loaded, 'loadedAddresses');
  const accounts = [keys, writable, readonly].flatMap((list) =>
    listOf(list, 'addresses').map((key) => textOf(key, 'address')),
  );
  if (new Set(accounts).size !== accounts.length) throw new Unreadable('addresses/twice');
  return accounts;
}

function tokensOf(balances: Exact | undefined, accounts: readonly string[]): TokenBalance[] {
  const read = listOf(balances ?? [], 'token-balances').map((each): TokenBalance => {
    const { accountIndex, mint, owner, uiTokenAmount } = objectOf(each, 'token-balance');
    const { amount, decimals, uiAmountString } = objectOf(uiTokenAmount, 'uiTokenAmount');
    return {
      account: accountAt(accountIndex, accounts),
      mint: textOf(mint, 'mint'),
      owner: isNothing(owner) ? undefined : textOf(owner, 'owner'),
      units: u64InText(amount, 'amount'),
      decimals: countOf(decimals, 'decimals'),
      shown: textOf(uiAmountString, 'uiAmountString'),
    };
  });
  if (new Set(read.map(({ account }) => account)).size !== read.length)
    throw new Unreadable('token-balances/twice');
  return read;
}

function accountAt(index: Exact | undefined, accounts: readonly string[]): string {
  const account = accounts[countOf(index, 'account-index')];
  if (account === undefined) throw new Unreadable('account-index/out-of-range');
  return account;
}

function instructionsOf(
  outer: Exact | undefined,
  inner: Exact | undefined,
  accounts: readonly string[],
): Instruction[] {
  // Only an empty list says that no instruction was called. Without a list, nobody knows.
  const called = new Map<number, readonly Exact[]>();
  for (const each of listOf(inner, 'innerInstructions')) {
    const { index, instructions } = objectOf(each, 'inner-instructions');
    const at = countOf(index, 'index');
    if (called.has(at)) throw new Unreadable('inner-instructions/twice');
    called.set(at, listOf(instructions, 'inner-instructions'));
  }
  const listed = listOf(outer, 'instructions');
  if ([...called.keys()].some((at) => at >= listed.length))
    throw new Unreadable('inner-instructions/of-none');
  return listed.flatMap((each, n) => [
    instructionOf(each, `${n}`, accounts),
    ...(called.get(n) ?? []).map((one, k) => instructionOf(one, `${n}.${k}`, accounts)),
  ]);
}

function instructionOf(value: Exact, path: string, known: readonly string[]): Instruction {
  if (!isObject(value)) throw new Unreadable('instruction/no-object');
  return {
    path,
    program: accountAt(value.programIdIndex, known),
    accounts: listOf(value.accounts, 'accounts').map((index) => accountAt(index, known)),
    data: bytesOf(textOf(value.data, 'data')),
  };
}

// More than any transaction has. The time to decode it grows with the square of the length.
const longestData = 8192;

function bytesOf(text: string): Uint8Array {
  if (text.length > longestData) throw new Unreadable('data/too-long');
  try {
    return base58.decode(text);
  } catch {
    throw new Unreadable('data/not-base58');
  }
}

type Instruction = {
  /** `2` is the third outer instruction, `2.0` the first one that it called. */
  readonly path: string;
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
};

export const systemProgram = '11111111111111111111111111111111';
export const tokenPrograms = {
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
} as const;

/** What an instruction moves from one account to another. */
export type Movement = {
  readonly path: string;
  /** Whether its purpose is to pay. Creating an account only moves lamports as a side effect. */
  readonly isTransfer: boolean;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  readonly of: 'lamports' | TokenMovement;
};

export type TokenMovement = {
  readonly program: string;
  /** As the instruction states them, if it does. */
  readonly mint: string | undefined;
  readonly decimals: number | undefined;
};

function movementsIn(instructions: readonly Instruction[]): Movement[] {
  return instructions.flatMap((one) => {
    if (one.program === systemProgram) return lamportsMovedBy(one);
    return isTokenProgram(one.program) ? tokensMovedBy(one) : [];
  });
}

export function isTokenProgram(program: string): boolean {
  return program === tokenPrograms.token || program === tokenPrograms.token2022;
}

/** Instructions of the system program: their number, the accounts they move between, and where the amount is. */
const lamportMoves: Readonly<Record<number, LamportMove>> = {
  0: { isTransfer: false, from: 0, to: 1, at: () => 4 },
  2: { isTransfer: true, from: 0, to: 1, at: () => 4 },
  // The amount comes after the base address and the seed, whose length is a u64 in front of it.
  3: { isTransfer: false, from: 0, to: 1, at: (data) => 4 + 32 + 8 + Number(u64At(data, 36)) },
  5: { isTransfer: true, from: 0, to: 1, at: () => 4 },
  11: { isTransfer: true, from: 0, to: 2, at: () => 4 },
};

type LamportMove = {
  readonly isTransfer: boolean;
  readonly from: number;
  readonly to: number;
  readonly at: (data: Uint8Array) => number;
};

function lamportsMovedBy({ path, accounts, data }: Instruction): Movement[] {
  const move = data.length < 4 ? undefined : lamportMoves[viewOf(data).getUint32(0, true)];
  if (move === undefined) return [];
  return [
    {
      path,
      isTransfer: move.isTransfer,
      from: accountOf(accounts, move.from),
      to: accountOf(accounts, move.to),
      units: u64At(data, move.at(data)),
      of: 'lamports',
    },
  ];
}

const transfer = 3;
const transferChecked = 12;
const feeExtension = 26;
const transferCheckedWithFee = 1;

function tokensMovedBy({ path, program, accounts, data }: Instruction): Movement[] {
  if (data[0] === transfer) {
    const [from, to] = [accountOf(accounts, 0), accountOf(accounts, 1)];
    const of: TokenMovement = { program, mint: undefined, decimals: undefined };
    return [{ path, isTransfer: true, from, to, units: u64At(data, 1), of }];
  }
  const withFee =
    data[0] === feeExtension && data[1] === transferCheckedWithFee && program === tokenPrograms.token2022;
  if (data[0] !== transferChecked && !withFee) return [];
  const at = withFee ? 2 : 1;
  const of: TokenMovement = { program, mint: accountOf(accounts, 1), decimals: byteAt(data, at + 8) };
  const [from, to] = [accountOf(accounts, 0), accountOf(accounts, 2)];
  return [{ path, isTransfer: true, from, to, units: u64At(data, at), of }];
}

/** The Token-2022 instructions that move confidential amounts. */
const confidential: readonly (number | undefined)[] = [27, 37, 42];

function movesConfidentially(instructions: readonly Instruction[]): boolean {
  return instructions.some(
    ({ program, data }) => program === tokenPrograms.token2022 && confidential.includes(data[0]),
  );
}

function accountOf(accounts: readonly string[], at: number): string {
  const account = accounts[at];
  if (account === undefined) throw new Unreadable('instruction/lacks-account');
  return account;
}

function byteAt(data: Uint8Array, at: number): number {
  const byte = data[at];
  if (byte === undefined) throw new Unreadable('instruction/cut');
  return byte;
}

function u64At(data: Uint8Array, at: number): bigint {
  if (data.length < at + 8) throw new Unreadable('instruction/cut');
  return viewOf(data).getBigUint64(at, true);
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

const greatest = 2n ** 64n - 1n;

export function objectOf(value: Exact | undefined, what: string): ExactObject {
  if (isObject(value)) return value;
  throw new Unreadable(`${what}/no-object`);
}

export function isObject(value: Exact | undefined): value is ExactObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function listOf(value: Exact | undefined, what: string): readonly Exact[] {
  if (Array.isArray(value)) return value as readonly Exact[];
  throw new Unreadable(`${what}/no-list`);
}

export function textOf(value: Exact | undefined, what: string): string {
  if (typeof value === 'string') return value;
  throw new Unreadable(`${what}/no-text`);
}

export function u64Of(value: Exact | undefined, what: string): bigint {
  if (typeof value === 'bigint' && value >= 0n && value <= greatest) return value;
  throw new Unreadable(`${what}/no-u64`);
}

/** The same for a u64 written as text. */
export function u64InText(value: Exact | undefined, what: string): bigint {
  const text = textOf(value, what);
  if (!/^(?:0|[1-9]\d{0,19})$/u.test(text)) throw new Unreadable(`${what}/no-u64`);
  return u64Of(BigInt(text), what);
}

/** A whole number that a float represents exactly. */
export function countOf(value: Exact | undefined, what: string): number {
  const count = u64Of(value, what);
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw new Unreadable(`${what}/too-great`);
  return Number(count);
}

/** JSON in which every number still has all the digits that were written. */
export type Exact = string | boolean | null | bigint | Inexact | readonly Exact[] | ExactObject;
type ExactObject = { readonly [name: string]: Exact };

/** A number with a point or an exponent. Amounts of money are never written like that. */
class Inexact {
  readonly written: string;

  constructor(written: string) {
    this.written = written;
  }
}

// In valid JSON, such text outside of strings is a number.
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gu;

// A prefix for each string and number while parsing, so that a string that looks like a number stays a string.
const [aText, aNumber] = ['t', 'n'];

/** Throws if the text is not JSON. Integers become bigints: a float would lose digits of a u64 above 2^53. */
export function parseExact(text: string): Exact {
  JSON.parse(text);
  const marked = text.replace(stringOrNumber, (token) =>
    token.startsWith('"') ? `"${aText}${token.slice(1)}` : `"${aNumber}${token}"`,
  );
  return unmarked(JSON.parse(marked) as Marked);
}

type Marked = string | boolean | null | readonly Marked[] | { readonly [name: string]: Marked };

function unmarked(value: Marked): Exact {
  if (typeof value === 'string') return value.startsWith(aText) ? value.slice(1) : numberOf(value.slice(1));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Marked[]).map(unmarked);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name.slice(1), unmarked(field)]));
}

function numberOf(written: string): bigint | Inexact {
  return /^-?\d+$/u.test(written) ? BigInt(written) : new Inexact(written);
}

/** Why a verdict is what it is; also what is unusual about a proven payment. */
export const reasons = [
  'no-signature',
  'no-mint',
  'not-seen',
  'only-processed',
  'only-confirmed',
  'unreachable',
  'rate-limited',
  'node-error',
  'not-permitted',
  'lagging',
  'other-cluster',
  'unreadable',
  'unknown-version',
  'not-first-signature',
  'failed',
  'other-recipient',
  'other-asset',
  'other-amount',
  'wrapped-sol',
  'no-transfer',
  'claimed',
  'other-source',
  'owner-unclear',
  'balance-differs',
  'scaled-mint',
  'confidential',
  'in-parts',
  'no-gain',
  'other-time',
  'source-unchecked',
  'memo-missing',
  'fee-withheld',
] as const;

export type Reason = (typeof reasons)[number];

/** A node's answer does not have the expected form, so nothing follows from it. `what` helps to find a bug. */
export class Unreadable extends Error {
  readonly reason: Reason;

  constructor(what: string, reason: Reason = 'unreadable') {
    super(what);
    this.reason = reason;
  }
}
