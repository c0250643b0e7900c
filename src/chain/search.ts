import { equalSince } from '../once/engine/equal.ts';
import type { AssetNames } from '../once/entry/assetNames.ts';
import type { Entry, Journal, Reads } from '../once/journal/journal.ts';
import { fetchEach, type Gap, listFor } from './listing.ts';
import { noData, type RpcNode, readIn, type Why } from './node.ts';
import { findPayment, type Payment } from './payment.ts';
import { listOf, objectOf, stringIn } from './transaction.ts';
import { graceMs, isHeldByAnother, type SeenPayment } from './verdict.ts';

/** A payment of exactly the transfer's amount to its recipient. Nothing shows that it is this transfer. */
export type Candidate = {
  readonly signature: string;
  readonly slot: number;
  readonly atMs: number | undefined;
  readonly memo: string | undefined;
  readonly isFinal: boolean;
};

export type Search = Awaited<ReturnType<typeof searchFor>>;

export type Searched = {
  readonly entry: Entry;
  readonly payment: Payment & { readonly wallet: string };
  readonly node: RpcNode;
  readonly assetNames?: AssetNames | undefined;
};

const longestMs = 30_000;

/**
 * Looks for a transfer without a signature among the payments that left the wallet since two hours before its first
 * attempt. It records nothing: an equal payment is no evidence, and only a person can say whether it is the right one.
 */
export async function searchFor(searched: Searched, journal: Journal) {
  const untilMs = journal.clock.now();
  const { first: firstMs } = await attemptsOf(searched.entry, journal.reads);
  // Block times are whole seconds.
  const sinceMs = 1000 * Math.floor((firstMs - graceMs) / 1000);
  const span = { sinceMs, untilMs, least: 'finalized' } as const;
  const { candidates, gap } = await leftTheWallet(searched, span, journal);
  // A rival may have made one of the candidates, so a person must look at the rivals too.
  const rivals = await equalWithoutSignature(searched, sinceMs, untilMs, journal.reads);
  return { candidates, rivals, firstMs, sinceMs, untilMs, gap };
}

/** Block times are whole seconds, and clocks differ. */
export const clocksMs = 60_000;

/**
 * Equal payments, except `own`, that left the wallet while the service was asked several times. Empty if other entries
 * may have made all of them; undefined if the search cannot tell.
 */
export async function othersPaid(
  searched: Searched,
  own: SeenPayment | undefined,
  journal: Journal,
): Promise<readonly Candidate[] | undefined> {
  const { entry } = searched;
  const { first, last } = await attemptsOf(entry, journal.reads);
  const untilMs = last + graceMs;
  const span = { sinceMs: first - clocksMs, untilMs, least: 'confirmed' } as const;
  const { candidates, gap } = await leftTheWallet(searched, span, journal);
  const others = candidates.filter(({ signature }) => signature !== own?.signature);
  const rivals = await equalWithoutSignature(searched, first - graceMs, untilMs, journal.reads);
  if (others.length + (own === undefined ? 0 : 1) > 1 + rivals.length) return others;
  return gap === undefined && own !== undefined ? [] : undefined;
}

/** Whether the search for other payments is over: no later payment would count. */
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

/** Other entries that may have made one of these payments. Nothing shows which one they made. */
async function equalWithoutSignature(
  { entry, assetNames }: Searched,
  sinceMs: number,
  untilMs: number,
  reads: Reads,
): Promise<readonly string[]> {
  const equal = await equalSince(entry, assetNames, sinceMs, reads);
  const ids = equal.flatMap(({ id, countsAtMs = 0, createdAtMs }) =>
    countsAtMs >= sinceMs && createdAtMs <= untilMs ? [id] : [],
  );
  const receipts = await Promise.all(ids.map((each) => reads.receiptsOf(each)));
  return ids.filter((_id, n) => !receipts[n]?.some(({ what }) => what === 'signature'));
}

type Window = {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly least: 'confirmed' | 'finalized';
};

/** Payments that left the wallet in this time, pay exactly this, and belong to no other entry. */
async function leftTheWallet(
  { entry, payment, node }: Searched,
  { sinceMs, untilMs, least }: Window,
  { reads, clock }: Pick<Journal, 'reads' | 'clock'>,
): Promise<{ readonly candidates: readonly Candidate[]; readonly gap: Gap | undefined }> {
  const cluster = await node.cluster();
  if ('because' in cluster) return { candidates: [], gap: cluster.because };
  const addresses = await addressesOf(payment, node, least);
  if ('because' in addresses) return { candidates: [], gap: addresses.because };
  const lists: Awaited<ReturnType<typeof listFor>>[] = [];
  for (const address of addresses) lists.push(await listFor(address, sinceMs, { node, least }));
  const listed = new Map(lists.flatMap((list) => list.listed.map((one) => [one.signature, one])));
  const since = [...listed.values()].filter(({ failed, timeS }) => {
    const atMs = timeS === undefined ? sinceMs : 1000 * timeS;
    return !failed && atMs >= sinceMs && atMs <= untilMs;
  });
  const candidates: Candidate[] = [];
  const endsAtMs = clock.now() + longestMs;
  const reading = { least, node, isOver: () => clock.now() > endsAtMs };
  const gap = await fetchEach(since, reading, async (transaction, { signature, memo, isFinal }) => {
    const { is } = findPayment(payment, transaction);
    if (is === 'miss' || (await isHeldByAnother(entry, signature, cluster, reads))) return undefined;
    if (is !== 'match') return is === 'more' ? 'paid-more' : 'unclear';
    const { slot, blockTimeS } = transaction;
    candidates.push({ signature, slot, atMs: blockTimeS && 1000 * blockTimeS, memo, isFinal });
    return undefined;
  });
  return {
    candidates: candidates.sort((one, another) => another.slot - one.slot),
    gap: lists.find((list) => list.gap)?.gap ?? gap,
  };
}

/** The wallet and, for a token, its token accounts. */
async function addressesOf(
  { wallet, mint }: Searched['payment'],
  node: RpcNode,
  commitment: Window['least'],
): Promise<ReadonlySet<string> | Why> {
  if (mint === undefined) return new Set([wallet]);
  const config = { commitment, encoding: 'base64', ...noData };
  const read = readIn(await node.ask('getTokenAccountsByOwner', [wallet, { mint }, config]), accountsIn);
  return 'because' in read ? read : new Set([wallet, ...read]);
}

function accountsIn(result: unknown): string[] {
  return listOf(objectOf(result).value).map((each) => stringIn(objectOf(each).pubkey));
}
