import { base58 } from '@scure/base';
import type { Exact } from './exactJson.ts';
import { countOf, isObject, listOf, objectOf, textOf, u64InText, u64Of } from './fields.ts';
import type { Instruction } from './instruction.ts';
import { type Movement, movementsIn, movesConfidentially } from './movements.ts';
import { Unreadable } from './reason.ts';

/** A transaction as far as the rules read it. */
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
  /** What they move; of one that failed nothing. */
  readonly movements: readonly Movement[];
  /** Some of it nobody else can read. */
  readonly isConfidential: boolean;
};

export type TokenBalance = {
  readonly account: string;
  readonly mint: string;
  readonly owner: string | undefined;
  readonly units: bigint;
  readonly decimals: number;
  /** As wallets show it: what a mint that scales amounts says is not what it moves. */
  readonly shown: string;
};

const knownVersions: readonly Exact[] = ['legacy', 0n, 1n];

/** Reads `getTransaction` in `json` encoding. Throws `Unreadable` where it is not what the rules know. */
export function readTransaction(result: Exact): ChainTransaction {
  const whole = objectOf(result, 'result');
  // A node that says nothing of it is one from before there were versions.
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

function isNothing(value: Exact | undefined): value is undefined | null {
  return value === undefined || value === null;
}

/** The indexes of instructions and balances run over static keys, then loaded writable, then loaded readonly. */
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
  // Without them nobody knows whether one was called: only an empty list says that none was.
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

// More than any transaction holds; decoding time grows with the square of the length.
const longestData = 8192;

function bytesOf(text: string): Uint8Array {
  if (text.length > longestData) throw new Unreadable('data/too-long');
  try {
    return base58.decode(text);
  } catch {
    throw new Unreadable('data/not-base58');
  }
}
