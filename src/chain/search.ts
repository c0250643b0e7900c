import { type AssetNames, underEachName } from '../once/entry/assetNames.ts';
import { originOf } from '../once/entry/baseUrl.ts';
import type { Entry, Journal, Reads, Receipt } from '../once/journal/journal.ts';
import type { Cluster } from './cluster.ts';
import { noData, type RpcNode, readIn, type Why } from './node.ts';
import { findPayment, type Payment } from './payment.ts';
import { countOf, isNothing, listOf, objectOf, type Reason, textOf } from './transaction.ts';
import { graceMs, type SeenPayment } from './verdict.ts';

/** A payment of exactly what a transfer was to pay. Nothing shows that it is that transfer. */
export type Candidate = {
  readonly signature: string;
  readonly slot: number;
  readonly atMs: number | undefined;
  readonly memo: string | undefined;
};

/** Why a search does not show all that left the wallet. */
export type Gap =
  /** The list ends after the first attempt. */
  'cut-short' | 'too-many' | 'too-slow' | Reason;

export type Search = {
  readonly candidates: readonly Candidate[];
  /** Other transfers of the same payment that may have made one of them: then none is offered for this transfer alone. */
  readonly rivals: readonly string[];
  /** The first attempt. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly gap: Gap | undefined;
};

export type Searched = {
  readonly entry: Entry;
  readonly payment: Payment & { readonly wallet: string };
  readonly node: RpcNode;
  readonly assetNames?: AssetNames | undefined;
};

/** The most that a node lists at once. */
const mostListed = 1000;
const longestMs = 30_000;
const mostAtATime = 8;

/**
 * Looks for a transfer that has no signature among what left the wallet since its first attempt. It records nothing:
 * a payment that looks the same is no evidence, and only a person can say whether it is the one.
 */
export async function searchFor(searched: Searched, journal: Journal): Promise<Search> {
  const untilMs = journal.clock.now();
  const { first } = await attemptsOf(searched.entry, journal.reads);
  const span = { sinceMs: first, fromMs: first - graceMs, untilMs, least: 'finalized' } as const;
  const { candidates, gap } = await leftTheWallet(searched, span, journal);
  const rivals = await equalWithoutSignature(searched, first - graceMs, untilMs, journal.reads);
  return { candidates, rivals, sinceMs: first, untilMs, gap };
}

/** Blocks tell whole seconds, and no two clocks agree. */
const clocksMs = 60_000;

/**
 * What the wallet paid of exactly this while the service was asked several times; the first is the entry's own, where
 * that is known. Undefined if the search cannot show it. Payments that belong to other entries, or that may, are not
 * counted.
 */
export async function paymentsOf(
  searched: Searched,
  own: SeenPayment | undefined,
  journal: Journal,
): Promise<readonly SeenPayment[] | undefined> {
  const { entry } = searched;
  const { first, last } = await attemptsOf(entry, journal.reads);
  const untilMs = last + graceMs;
  const times = { sinceMs: first, fromMs: first - clocksMs, untilMs };
  const span = { ...times, least: 'confirmed' } as const;
  const { candidates, gap } = await leftTheWallet(searched, span, journal);
  const others = candidates.filter(({ signature }) => signature !== own?.signature);
  const rivals = await equalWithoutSignature(searched, first - graceMs, untilMs, journal.reads);
  const owned: SeenPayment[] = own === undefined ? [] : [{ ...own, own: true }];
  if (owned.length + others.length > 1 + rivals.length)
    return [
      ...owned,
      ...others.map(({ signature, atMs }) => ({
        signature,
        ...(atMs === undefined ? {} : { at: Math.floor(atMs / 1000) }),
      })),
    ];
  return gap === undefined && own !== undefined ? owned : undefined;
}

/** When the search for other payments has seen all that it can. */
export async function isSearchedAt(entry: Entry, reads: Reads, atMs: number): Promise<boolean> {
  return atMs > (await attemptsOf(entry, reads)).last + graceMs;
}

async function attemptsOf(
  { id, createdAtMs }: Entry,
  reads: Reads,
): Promise<{ readonly first: number; readonly last: number }> {
  const attempts = await reads.attemptsOf(id);
  const first = attempts[0]?.startedAtMs ?? createdAtMs;
  return { first, last: attempts.at(-1)?.startedAtMs ?? first };
}

/** The other entries that may have made one of these payments, although nothing tells which. */
async function equalWithoutSignature(
  { entry: { id, baseUrl, payment }, assetNames }: Searched,
  sinceMs: number,
  untilMs: number,
  reads: Reads,
): Promise<readonly string[]> {
  const about = { id, origin: originOf(baseUrl), sinceMs, untilMs };
  const found = await Promise.all(
    underEachName(payment, assetNames).map((one) => reads.equalPayments({ ...about, payment: one })),
  );
  const ids = found.flat();
  const receipts = await Promise.all(ids.map((each) => reads.receiptsOf(each)));
  return ids.filter((_id, n) => !receipts[n]?.some(({ what }) => what === 'signature'));
}

type Window = {
  readonly sinceMs: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly least: 'confirmed' | 'finalized';
};

type ListedTransaction = {
  readonly signature: string;
  readonly timeS: number | undefined;
  readonly memo: string | undefined;
  readonly failed: boolean;
};

/** What left the wallet in that time, pays exactly this, and belongs to no other entry. */
async function leftTheWallet(
  { entry, payment, node }: Searched,
  { sinceMs, fromMs, untilMs, least }: Window,
  { reads, clock }: Pick<Journal, 'reads' | 'clock'>,
): Promise<Pick<Search, 'candidates' | 'gap'>> {
  const cluster = await node.cluster();
  if ('because' in cluster) return { candidates: [], gap: cluster.because };
  const lists = await listsOf(payment, node, least);
  if ('because' in lists) return { candidates: [], gap: lists.because };
  const timeMs = ({ timeS }: ListedTransaction, unknown: number): number =>
    timeS === undefined ? unknown : 1000 * timeS;
  const listed = new Map(lists.flat().map((entry) => [entry.signature, entry]));
  const since = [...listed.values()].filter(
    (entry) => !entry.failed && timeMs(entry, untilMs) >= fromMs && timeMs(entry, fromMs) <= untilMs,
  );
  const goesBack = (entry: ListedTransaction): boolean => timeMs(entry, Infinity) < sinceMs;
  const isCut = lists.some((list) => !list.some(goesBack));
  const isLong = since.length > mostListed || lists.some((list) => list.length >= mostListed && isCut);
  let gap: Gap | undefined = isLong ? 'too-many' : isCut ? 'cut-short' : undefined;
  const candidates: Candidate[] = [];
  const endsAtMs = clock.now() + longestMs;
  const look = async ({ signature, memo }: ListedTransaction): Promise<void> => {
    const lookup = await node.transaction(signature, least);
    if (lookup.saw !== 'transaction') {
      gap ??= lookup.saw === 'nothing' ? lookup.because : 'not-final';
      return;
    }
    const { slot, blockTimeS } = lookup.transaction;
    const found = findPayment(payment, lookup.transaction);
    if (found.is === 'doubt') gap ??= 'unclear';
    if (found.is !== 'match' || (await isHeldByAnother(entry, signature, cluster, reads))) return;
    candidates.push({ signature, slot, atMs: blockTimeS && 1000 * blockTimeS, memo });
  };
  const newest = since.slice(0, mostListed);
  for (let from = 0; from < newest.length; from += mostAtATime) {
    if (clock.now() > endsAtMs) return { candidates, gap: 'too-slow' };
    await Promise.all(newest.slice(from, from + mostAtATime).map(look));
  }
  return { candidates: candidates.sort((one, another) => another.slot - one.slot), gap };
}

/** Whether the chain or the service gave this signature to another entry. */
export async function isHeldByAnother(
  { id, baseUrl }: Pick<Entry, 'id' | 'baseUrl'>,
  signature: string,
  cluster: Cluster,
  reads: Pick<Reads, 'otherHolder'>,
): Promise<boolean> {
  return (await reads.otherHolder(id, receiptsFor(baseUrl, signature, cluster))) !== undefined;
}

/** A signature as the chain shows it, and as a reply of the service gave it. */
export function receiptsFor(
  baseUrl: Entry['baseUrl'],
  value: string,
  { genesis }: Pick<Cluster, 'genesis'>,
): readonly [Receipt, Receipt] {
  return [
    { origin: genesis, what: 'signature', value },
    { origin: baseUrl, what: 'signature', value },
  ];
}

/** What the node lists for the wallet and, of a token, for its accounts, the newest first. */
async function listsOf(
  { wallet, mint }: Searched['payment'],
  node: RpcNode,
  commitment: Window['least'],
): Promise<ListedTransaction[][] | Why> {
  const config = { commitment, encoding: 'base64', ...noData };
  const owned =
    mint === undefined
      ? []
      : readIn(await node.ask('getTokenAccountsByOwner', [wallet, { mint }, config]), accountsIn);
  if ('because' in owned) return owned;
  const lists: ListedTransaction[][] = [];
  for (const address of new Set([wallet, ...owned])) {
    const most = { limit: mostListed, commitment };
    const read = readIn(await node.ask('getSignaturesForAddress', [address, most]), entriesIn);
    if ('because' in read) return read;
    lists.push(read);
  }
  return lists;
}

function accountsIn(result: unknown): string[] {
  return listOf(objectOf(result).value).map((each) => textOf(objectOf(each).pubkey));
}

function entriesIn(result: unknown): ListedTransaction[] {
  return listOf(result).map((each) => {
    const { signature, blockTime, memo, err } = objectOf(each);
    return {
      signature: textOf(signature),
      timeS: isNothing(blockTime) ? undefined : countOf(blockTime),
      // A node writes the length of each memo before it.
      memo: typeof memo === 'string' ? memo.replace(/^\[\d+\] /u, '') : undefined,
      failed: !isNothing(err),
    };
  });
}
