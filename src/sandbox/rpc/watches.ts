import { base58 } from '@scure/base';
import type { Ledger } from '../ledger.ts';
import { systemProgram } from '../solana/address.ts';
import { allAccounts, decodeTransaction } from '../solana/message.ts';
import { withUnits } from '../solana/token.ts';
import type { Account } from '../store/accounts.ts';
import type { StoredTransaction } from '../store/transactions.ts';
import { notifiedAccount } from './accounts.ts';
import { addressIn, commitmentOf, configOf, countIn, listIn, text } from './config.ts';
import { toJson } from './json.ts';
import { isAtLeast, type Node, type Stage, slotAt, stageOf } from './node.ts';
import { invalidParams } from './rpcError.ts';

export type Watch = {
  readonly method: string;
  /** What came about since it was last asked: a result for each notification. */
  readonly due: (node: Node) => object[];
  readonly isOver?: () => boolean;
};

type Results = (from: number, upTo: number, node: Node) => unknown[];

/** Asks for what happened between two slots, each time up to the newest one that has reached the commitment. */
function watchOf(method: string, commitment: Stage, started: Node, resultsOf: Results): Watch {
  let told = slotAt(commitment, started);
  return {
    method,
    due: (node) => {
      const from = told;
      told = Math.max(from, reachedSlot(commitment, node) ?? from);
      const context = { slot: told };
      return resultsOf(from, told, node).map((value) => ({ context, value }));
    },
  };
}

/** Undefined while transactions are held back from the commitment, or gone. */
function reachedSlot(commitment: Stage, node: Node): number | undefined {
  const slot = slotAt(commitment, node);
  const stage = stageOf(slot, node);
  return stage !== undefined && isAtLeast(stage, commitment) ? slot : undefined;
}

export function watchAccount(params: unknown[], started: Node): Watch {
  const address = addressIn(params[0]);
  const config = configOf(params[1]);
  const commitment = commitmentOf(config);
  const shown = (upTo: number, { ledger }: Node): object =>
    notifiedAccount(accountAsOf(upTo, address, ledger), config, ledger);
  let last = toJson(shown(slotAt(commitment, started), started));
  // Money that is given by hand is in no transaction: what is told last is compared.
  return watchOf('accountNotification', commitment, started, (_, upTo, node) => {
    const value = shown(upTo, node);
    const json = toJson(value);
    if (json === last) return [];
    last = json;
    return [value];
  });
}

export function watchProgram(params: unknown[], started: Node): Watch {
  const program = addressIn(params[0]);
  const config = configOf(params[1]);
  // Refuses a configuration that no account could be shown by.
  notifiedAccount(nothingAt(program), config, started.ledger);
  const filters = listIn(config.filters ?? [], 'filters', filtersAtMost).map(filterIn);
  return watchOf('programNotification', commitmentOf(config), started, (from, upTo, { ledger }) => {
    const changed = ledger.transactions.between(from, upTo).flatMap(changedIn);
    return [...new Set(changed)]
      .map((address) => accountAsOf(upTo, address, ledger))
      .filter(({ owner, data }) => owner === program && filters.every((passes) => passes(data)))
      .map((account) => ({ pubkey: account.address, account: notifiedAccount(account, config, ledger) }));
  });
}

export function watchLogs(params: unknown[], started: Node): Watch {
  const mentioned = mentionedIn(params[0]);
  return watchOf('logsNotification', commitmentOf(configOf(params[1])), started, (from, upTo, { ledger }) =>
    ledger.transactions
      .between(from, upTo)
      .filter((each) => mentioned === undefined || keysOf(each).includes(mentioned))
      .map(({ signature, meta }) => ({ signature, err: null, logs: meta.logs })),
  );
}

/** The one address to look for; undefined for all transactions. */
function mentionedIn(filter: unknown): string | undefined {
  if (filter === 'all' || filter === 'allWithVotes') return undefined;
  const [address, ...more] = listIn(configOf(filter).mentions, 'mentions', 1);
  if (more.length > 0) throw invalidParams('only one address may be mentioned');
  return addressIn(address);
}

const keysOf = ({ wire, meta }: StoredTransaction): string[] =>
  allAccounts(decodeTransaction(wire).message, meta.loaded);

function changedIn(transaction: StoredTransaction): string[] {
  const { preBalances, postBalances, preTokenBalances, postTokenBalances } = transaction.meta;
  const unitsAt = (balances: typeof preTokenBalances, index: number): string | undefined =>
    balances.find(({ accountIndex }) => accountIndex === index)?.amount;
  return keysOf(transaction).filter(
    (_, index) =>
      preBalances[index] !== postBalances[index] ||
      unitsAt(preTokenBalances, index) !== unitsAt(postTokenBalances, index),
  );
}

const nothingAt = (address: string): Account => ({
  address,
  lamports: 0n,
  owner: systemProgram,
  data: new Uint8Array(0),
});

/** An account as it was after a slot, before the transactions that came later. */
function accountAsOf(upTo: number, address: string, ledger: Ledger): Account {
  const now = ledger.accounts.get(address) ?? nothingAt(address);
  const later = ledger.transactions.firstTouching(address, upTo);
  if (later === undefined) return now;
  const index = keysOf(later).indexOf(address);
  const lamports = BigInt(later.meta.preBalances[index] ?? '0');
  if (lamports === 0n) return nothingAt(address);
  const held = later.meta.preTokenBalances.find(({ accountIndex }) => accountIndex === index);
  return {
    ...now,
    lamports,
    data: held === undefined ? now.data : withUnits(now.data, 64, BigInt(held.amount)),
  };
}

const filtersAtMost = 4;

type Passes = (data: Uint8Array) => boolean;

function filterIn(value: unknown): Passes {
  const { dataSize, memcmp } = configOf(value);
  if (dataSize !== undefined) {
    const size = countIn(dataSize, 'dataSize', 2 ** 32, 0);
    return (data) => data.length === size;
  }
  if (memcmp === undefined) throw invalidParams('a filter is dataSize or memcmp');
  const { offset, bytes, encoding = 'base58' } = configOf(memcmp);
  const wanted = bytesIn(text(bytes, 'memcmp.bytes'), encoding);
  const from = countIn(offset, 'memcmp.offset', 2 ** 32, 0);
  return (data) => Buffer.from(data.subarray(from, from + wanted.length)).equals(wanted);
}

function bytesIn(written: string, encoding: unknown): Buffer {
  if (encoding === 'base64') return Buffer.from(written, 'base64');
  try {
    if (encoding === 'base58') return Buffer.from(base58.decode(written));
  } catch {
    // Said below, as of another encoding.
  }
  throw invalidParams('memcmp.bytes must be base58, or base64 where its encoding says so');
}
