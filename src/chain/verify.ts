import { isDeepStrictEqual } from 'node:util';
import { keepDecision } from '../once/engine/decisions.ts';
import type { AssetNames } from '../once/entry/assetNames.ts';
import type { Entry, Journal, Observation, Reads, Transaction } from '../once/journal/journal.ts';
import { mostSignatures, type RpcNode, type Statuses } from './node.ts';
import { chainViewOf, keepFurther } from './paidAgain.ts';
import type { Payment } from './payment.ts';
import { isSearchedAt, othersPaid } from './search.ts';
import type { Reason } from './transaction.ts';
import {
  type Beginning,
  type ChainVerdict,
  type ChainView,
  isFinalMatch,
  isFurther,
  isHeldByAnother,
  isUndecided,
  judgeLook,
  type Look,
  latestView,
  ownPayment,
  ownSignatures,
  receiptsFor,
  viewOf,
  wasRepeated,
} from './verdict.ts';

/** A bot's node, and how to find the bot's transfers on its chain. */
export type Chain = {
  readonly node: RpcNode;
  /** The other names of assets, by which equal payments are found. */
  readonly assetNames?: AssetNames | undefined;
  /** The payment that the chain would show for the entry; undefined if no mint is configured for its asset. */
  paymentOf(entry: Pick<Entry, 'body'>): Payment | undefined;
  /** The stored reason if the chain decides that a transfer happened. */
  readonly reasonOf: (view: ChainView) => string;
};

/** The commitment that a transfer must reach to count as seen. */
export type Until = 'confirmed' | 'finalized';

export type Verified = {
  readonly entry: Entry;
  readonly view: ChainView;
  /** How long the node asks to wait before the next request. */
  readonly quietMs?: number;
};

type Asked = {
  readonly entry: Entry;
  readonly chain: Chain;
  readonly signatures: readonly string[];
};

const mostAtATime = 8;

/**
 * Looks up each of these entries: one request for the states of many, then one for each transaction that exists.
 * Several lookups run at a time; results are reported in the given order.
 */
export async function verifyEach(
  entries: readonly Entry[],
  chains: { of(entry: Entry): Promise<Chain> },
  journal: Journal,
  onEach: (verified: Verified) => Promise<void>,
  least: Until = 'confirmed',
): Promise<void> {
  const asked: Asked[] = [];
  for (const entry of entries) {
    const chain = await chains.of(entry);
    asked.push({ entry, chain, signatures: await signaturesOf(entry, journal.reads) });
  }
  const statuses = await statusesOf(asked);
  const looks: Promise<Verified>[] = [];
  const tellNext = async (): Promise<void> => {
    const next = await looks.shift();
    if (next !== undefined) await onEach(next);
  };
  for (const one of asked) {
    if (looks.length === mostAtATime) await tellNext();
    const look = verifyOne(one, statuses.get(one.chain) ?? new Map(), least, journal);
    // A rejection is handled when its turn comes, or ignored if an earlier lookup failed.
    look.catch(() => {});
    looks.push(look);
  }
  while (looks.length > 0) await tellNext();
}

async function statusesOf(asked: readonly Asked[]): Promise<Map<Chain, Statuses>> {
  const byChain = new Map<Chain, Statuses>();
  for (const { chain } of asked) {
    if (byChain.has(chain)) continue;
    const own = asked.filter((one) => one.chain === chain).flatMap(({ signatures }) => signatures);
    const statuses = new Map<string, Statuses extends ReadonlyMap<string, infer Each> ? Each : never>();
    for (let from = 0; from < own.length; from += mostSignatures) {
      const page = await chain.node.statusesOf(own.slice(from, from + mostSignatures));
      for (const [signature, status] of page) statuses.set(signature, status);
    }
    byChain.set(chain, statuses);
  }
  return byChain;
}

async function verifyOne(
  { entry, chain, signatures }: Asked,
  statuses: Statuses,
  least: Until,
  journal: Journal,
): Promise<Verified> {
  const known = latestView(await journal.reads.observationsOf(entry.id));
  const ended = async (stands: Entry, seen: ChainView, quietMs = 0): Promise<Verified> => ({
    ...{ entry: stands, quietMs },
    view: await withPayments(seen, { entry: stands, chain, signatures }, journal),
  });
  if (known?.verdict === 'proven' && !isUndecided(entry)) return ended(entry, known);
  const payment = chain.paymentOf(entry);
  if (payment === undefined) return { entry, view: unseen(chain, 'no-mint') };
  const { node, reasonOf } = chain;
  let view: ChainView = unseen(chain, 'no-signature');
  let quietMs = 0;
  const looks: { look: Look; saw: ChainView }[] = [];
  for (const signature of signatures) {
    const lookup = await node.lookUp(signature, statuses, least);
    if (lookup.saw === 'nothing') quietMs = Math.max(quietMs, lookup.waitMs ?? 0);
    const look: Look = { signature, lookup, payment, host: node.host };
    looks.push({ look, saw: await judgeNow(look, entry, journal.reads) });
  }
  // Write nothing if nothing is new: a waiting command looks often.
  const [only, ...more] = looks;
  const isKnown = only?.saw.verdict === 'undecided' && isDeepStrictEqual(only.saw, known);
  if (isKnown && more.length === 0) return { entry, view: only.saw, quietMs };
  // The last look counts. A contradiction of one signature must not end the wait while another is undecided.
  looks.sort((one, other) => ranks.indexOf(one.saw.verdict) - ranks.indexOf(other.saw.verdict));
  for (const { look } of looks) view = await settle(look, entry, journal, reasonOf);
  return ended(await asItStands(entry, journal), view, quietMs);
}

/** The verdict now. It may have changed because another process has settled an entry. */
export async function judgeNow(look: Look, entry: Entry, reads: Reads): Promise<ChainView> {
  const [first] = await reads.attemptsOf(entry.id);
  const beginning: Beginning = {
    atMs: first?.startedAtMs ?? entry.createdAtMs,
    isNamed: entry.namedBy !== undefined,
  };
  const { lookup, signature } = look;
  const isAnothers =
    lookup.saw === 'transaction' && (await isHeldByAnother(entry, signature, lookup.cluster, reads));
  return judgeLook(look, isAnothers, beginning);
}

/** Gives the reason of the decision that is recorded if the payment is proven; `nothing` records none. */
type Decides = 'nothing' | ((view: ChainView) => string);

/**
 * Records a look in one commit: a proven transaction then belongs to this entry, and an entry in doubt becomes resolved
 * as happened. If two processes see the same transaction, the second finds it taken and judges again.
 */
export async function settle(
  look: Look,
  entry: Entry,
  journal: Journal,
  decides: Decides,
): Promise<ChainView> {
  const { lookup, signature } = look;
  const own = lookup.saw === 'transaction' ? receiptsFor(entry.baseUrl, signature, lookup.cluster) : [];
  return journal.commit(async (tx) => {
    const view = await judgeNow(look, entry, tx);
    const atMs = journal.clock.now();
    if (isFinalMatch(view)) await tx.keepReceipts(entry.id, own.slice(0, 1));
    const last = (await tx.observationsOf(entry.id)).findLast((one) => !isFurther(one));
    const isNews = last === undefined || !isDeepStrictEqual(viewOf(last), view);
    if (isNews) await tx.observe(entry.id, observationOf(view, own[0]?.origin, atMs));
    if (decides !== 'nothing' && view.verdict === 'proven')
      await decideHappened(view, decides(view), entry.id, tx, atMs);
    return view;
  });
}

async function decideHappened(
  { signature }: ChainView,
  reason: string,
  id: string,
  tx: Transaction,
  atMs: number,
): Promise<void> {
  await tx.recordDeath(id, atMs);
  // If a process is sending it now, that process will learn more.
  const entry = await tx.get(id);
  if (entry === undefined || !isUndecided(entry)) return;
  await keepDecision(entry, { kind: 'happened', who: 'chain', atMs, reason, signature }, tx);
}

function observationOf(view: ChainView, genesis: string | undefined, atMs: number): Observation {
  const { verdict, signature } = view;
  return { verdict, atMs, signature, genesis, facts: JSON.stringify(view) };
}

/** If the service was asked several times, adds its other payments, until no more can appear. */
async function withPayments(
  view: ChainView,
  { entry, chain: { node, paymentOf, assetNames }, signatures }: Asked,
  journal: Journal,
): Promise<ChainView> {
  if (!wasRepeated(entry)) return view;
  const payment = paymentOf(entry);
  const known = (await chainViewOf(entry, journal.reads, view)) ?? view;
  if (payment?.wallet === undefined) return known;
  // If a reply named a signature, the entry's own payment must be known first.
  const payments = ownPayment(view);
  const [own] = payments;
  if (own === undefined && signatures.length > 0) return known;
  const observations = await journal.reads.observationsOf(entry.id);
  const kept = observations.findLast(({ verdict }) => verdict === 'proven');
  const isOver = (atMs: number): Promise<boolean> => isSearchedAt(entry, journal.reads, atMs);
  if (kept !== undefined && viewOf(kept)?.payments !== undefined && (await isOver(kept.atMs))) return known;
  const searched = { entry, payment: { ...payment, wallet: payment.wallet }, node, assetNames };
  const others = await othersPaid(searched, own, journal);
  if (others === undefined) return known;
  const owned = { ...view, payments };
  const atMs = journal.clock.now();
  if (kept !== undefined && (await isOver(atMs)))
    await journal.commit((tx) => tx.observe(entry.id, observationOf(owned, kept.genesis, atMs)));
  await keepFurther(others, entry, node, journal);
  return (await chainViewOf(entry, journal.reads, owned, others)) ?? owned;
}

export async function signaturesOf(entry: Entry, reads: Reads): Promise<string[]> {
  const attempts = await reads.attemptsOf(entry.id);
  return ownSignatures(entry, attempts, await reads.decisionsOf(entry.id));
}

const ranks: readonly ChainVerdict[] = ['contradicted', 'likely', 'undecided', 'proven'];

async function asItStands(entry: Entry, { reads }: Journal): Promise<Entry> {
  return (await reads.get(entry.id)) ?? entry;
}

/** The view of a transfer that cannot be looked up. */
function unseen({ node }: Chain, because: 'no-signature' | 'no-mint'): ChainView {
  return { verdict: 'undecided', rpc: node.host, reasons: [because] };
}

/** What `--wait` waits for, and how long. */
export type WaitOptions = { readonly until: Until; readonly waitMs: number };

type Watching = WaitOptions & {
  readonly interrupted: AbortSignal;
  readonly clock: { now(): number; sleep(waitMs: number, signal: AbortSignal): Promise<void> };
  /** Called after each look that leaves the transfer open. */
  onLook(verified: Verified): void;
  /** Called once for each transfer when later looks would show nothing new. */
  onEnd(verified: Verified): Promise<void>;
};

const firstPauseMs = 250;
const longestPauseMs = 2000;
const pageLength = 256;

/** Looks repeatedly until each transfer has reached the commitment or the time is up. Returns the ids that are left. */
export async function watch(
  ids: readonly string[],
  chain: Chain,
  { until, waitMs, clock, interrupted, onLook, onEnd }: Watching,
  journal: Journal,
): Promise<readonly string[]> {
  const endsAtMs = clock.now() + waitMs;
  let left = ids;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    const open: string[] = [];
    let waited = pauseMs;
    const note = async (verified: Verified): Promise<void> => {
      if (isEnd(verified.view)) return onEnd(verified);
      open.push(verified.entry.id);
      waited = Math.max(waited, verified.quietMs ?? 0);
      onLook(verified);
    };
    for (let from = 0; from < left.length; from += pageLength) {
      const page = await Promise.all(left.slice(from, from + pageLength).map((id) => journal.reads.get(id)));
      const entries = page.filter((one) => one !== undefined);
      await verifyEach(entries, { of: async () => chain }, journal, note, until);
    }
    if (open.length === 0 || interrupted.aborted || clock.now() + waited > endsAtMs) return open;
    await clock.sleep(waited, interrupted);
    left = open;
  }
}

const beyondSight: readonly Reason[] = ['no-signature', 'no-mint'];

/** A final transaction no longer changes. One that is only confirmed and does not match may still be replaced. */
function isEnd({ verdict, commitment, reasons }: ChainView): boolean {
  return (
    verdict !== 'undecided' ||
    commitment === 'finalized' ||
    reasons.some((reason) => beyondSight.includes(reason))
  );
}
