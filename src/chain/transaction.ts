import { formatAmount } from '../once/entry/amount.ts';
import { isObject } from '../once/wire/flight.ts';

/** The reasons for a verdict. */
export const reasons = [
  'no-signature',
  'no-mint',
  'not-seen',
  'not-final',
  'no-answer',
  'not-permitted',
  'other-cluster',
  'not-paid',
  'unclear',
  'anothers',
] as const;

export type Reason = (typeof reasons)[number];

/** A node's answer does not have the expected form, so it proves nothing. The message helps to find a bug. */
export class Unreadable extends Error {}

export const systemProgram = '11111111111111111111111111111111';
export const tokenPrograms = {
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
} as const;

export function isTokenProgram(program: string): boolean {
  return program === tokenPrograms.token || program === tokenPrograms.token2022;
}

/** One side of a balance's change: the balance before, as a negative number, or the balance after. SOL has no mint. */
export type Change = {
  readonly isAfter: boolean;
  readonly account: string;
  readonly owner: string | undefined;
  readonly mint: string | undefined;
  readonly program: string | undefined;
  readonly units: bigint;
  readonly decimals: number;
  /** Whether the node's numbers are exact. */
  readonly isExact: boolean;
};

/** The parts of a transaction that the rules read. */
export type ChainTransaction = ReturnType<typeof readTransaction>;

/** Reads `getTransaction` in `jsonParsed` encoding. Throws `Unreadable` if the rules do not know its form. */
export function readTransaction(result: unknown) {
  const { transaction, meta: metaJson, slot, blockTime } = objectOf(result);
  const { signatures, message } = objectOf(transaction);
  const meta = objectOf(metaJson);
  if (meta.err === undefined) throw new Unreadable('meta/no-err');
  const accounts = listOf(objectOf(message).accountKeys).map((key) => stringIn(objectOf(key).pubkey));
  return {
    signature: stringIn(listOf(signatures)[0]),
    slot: countOf(slot),
    blockTimeS: isNothing(blockTime) ? undefined : countOf(blockTime),
    failed: meta.err !== null,
    changes: changesIn(meta, accounts),
    /** Whether the node says what happened to tokens. */
    showsTokens: Array.isArray(meta.preTokenBalances) && Array.isArray(meta.postTokenBalances),
  };
}

const lamportDecimals = 9;

/** Lists each balance twice: the one before is subtracted, the one after is added. */
function changesIn(meta: JsonObject, accounts: readonly string[]): Change[] {
  const { fee, preBalances, postBalances, preTokenBalances, postTokenBalances } = meta;
  const [before, after] = [listOf(preBalances), listOf(postBalances)];
  if (before.length !== accounts.length || after.length !== accounts.length)
    throw new Unreadable('balances/other-count');
  const lamports = (balances: readonly unknown[], isAfter: boolean): Change[] =>
    accounts.map((account, n): Change => {
      // The first account pays the fee. It is added back, because it is not part of a payment.
      const numbers = [balances[n], isAfter && n === 0 ? fee : 0].map(numberOf);
      const units = numbers.reduce((sum, number) => sum + BigInt(number), 0n);
      return {
        ...{ account, owner: undefined, mint: undefined, program: undefined, decimals: lamportDecimals },
        ...{ isAfter, units: isAfter ? units : -units },
        // JSON.parse loses digits beyond 2^53.
        isExact: numbers.every(Number.isSafeInteger),
      };
    });
  const tokens = (balances: unknown, isAfter: boolean): Change[] =>
    isNothing(balances) ? [] : listOf(balances).map((each) => tokenIn(objectOf(each), isAfter, accounts));
  return [
    ...[...lamports(before, false), ...lamports(after, true)],
    ...[...tokens(preTokenBalances, false), ...tokens(postTokenBalances, true)],
  ];
}

function tokenIn(balance: JsonObject, isAfter: boolean, accounts: readonly string[]): Change {
  const { amount, decimals: places, uiAmountString: decimalText } = objectOf(balance.uiTokenAmount);
  const account = accounts[countOf(balance.accountIndex)];
  if (account === undefined) throw new Unreadable('balance/no-account');
  const [units, decimals] = [unitsInText(amount), countOf(places)];
  return {
    account,
    owner: isNothing(balance.owner) ? undefined : stringIn(balance.owner),
    mint: stringIn(balance.mint),
    program: isNothing(balance.programId) ? undefined : stringIn(balance.programId),
    ...{ isAfter, units: isAfter ? units : -units },
    decimals,
    // A mint may scale its amounts. Wallets then show an amount other than the one moved.
    isExact: decimalText === formatAmount({ units, decimals }),
  };
}

export type JsonObject = { readonly [name: string]: unknown };

export function objectOf(value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw new Unreadable('no-object');
}

export function isNothing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Unreadable('no-list');
}

export function stringIn(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Unreadable('no-text');
}

function numberOf(value: unknown): number {
  if (Number.isInteger(value) && Number(value) >= 0) return Number(value);
  throw new Unreadable('no-whole-number');
}

/** A whole number without lost digits. */
export function countOf(value: unknown): number {
  const count = numberOf(value);
  if (Number.isSafeInteger(count)) return count;
  throw new Unreadable('too-great');
}

/** A u64 written as text. */
export function unitsInText(value: unknown): bigint {
  const text = stringIn(value);
  if (!/^(?:0|[1-9]\d{0,19})$/u.test(text)) throw new Unreadable('no-amount');
  return BigInt(text);
}
