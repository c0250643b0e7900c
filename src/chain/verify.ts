import { isDeepStrictEqual } from 'node:util';
import type { Intent, Journal, Observation, Reads, Transaction } from '../once/journal/journal.ts';
import { mostSignatures, type RpcNode, type Statuses } from './node.ts';
import type { Payment } from './payment.ts';
import { isHeldByAnother, isSearchedAt, paymentsOf, receiptsFor } from './search.ts';
import type { Reason } from './transaction.ts';
import {
  type Beginning,
  type ChainVerdict,
  type ChainView,
  isFinalMatch,
  isPaidAgain,
  judgeLook,
  type Look,
  ownSignatures,
  standingOf,
  wasRepeated,
} from './verdict.ts';

/** The node of a bot, and what its transfers would look like on their chain. */
export type Chain = {
  readonly node: RpcNode;
  /** The payment that the chain would show for it; undefined if no mint is configured for its asset. */
  paymentOf(intent: Pick<Intent, 'body'>): Payment | undefined;
  /** The reason that is kept where the chain decides that a transfer happened. */
  readonly reasonOf: (view: ChainView) => string;
};

/** The commitment that a transfer must reach to count as seen. */
export type Until = 'confirmed' | 'finalized';

export type Verified = {
  readonly intent: Intent;
  readonly view: ChainView;
  /** How long the node wants not to be asked. */
  readonly quietMs?: number;
};

type Asked = {
  readonly intent: Intent;
  readonly chain: Chain;
  readonly signatures: readonly string[];
};

const mostAtATime = 8;

/**
 * Looks up each of these intents: one request for the states of many, then one for each transaction that exists.
 * Several lookups run at a time; results are reported in the given order.
 */
export async function verifyEach(
  intents: readonly Intent[],
  chains: { of(intent: Intent): Promise<Chain> },
  journal: Journal,
  onEach: (verified: Verified) => Promise<void>,
  least: Until = 'confirmed',
): Promise<void> {
  const asked: Asked[] = [];
  for (const intent of intents) {
    const chain = await chains.of(intent);
    asked.push({ intent, chain, signatures: await signaturesOf(intent, journal.reads) });
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
    // Handled when its turn comes, or ignored if an earlier lookup failed.
    look.catch(() => {});
    looks.push(look);
  }
  while (looks.length > 0) await tellNext();
}

async function statusesOf(asked: readonly Asked[]): Promise<Map<Chain, Statuses>> {
  const found = new Map<Chain, Statuses>();
  for (const { chain } of asked) {
    if (found.has(chain)) continue;
    const own = asked.filter((one) => one.chain === chain).flatMap(({ signatures }) => signatures);
    const statuses = new Map<string, Statuses extends ReadonlyMap<string, infer Each> ? Each : never>();
    for (let from = 0; from < own.length; from += mostSignatures) {
      const page = await chain.node.statusesOf(own.slice(from, from + mostSignatures));
      for (const [signature, status] of page) statuses.set(signature, status);
    }
    found.set(chain, statuses);
  }
  return found;
}

async function verifyOne(
  { intent, chain, signatures }: Asked,
  statuses: Statuses,
  least: Until,
  journal: Journal,
): Promise<Verified> {
  const known = standingOf(await journal.reads.observationsOf(intent.id));
  const ended = async (stands: Intent, seen: ChainView, quietMs = 0): Promise<Verified> => ({
    ...{ intent: stands, quietMs },
    view: await withPayments(seen, { intent: stands, chain, signatures }, journal),
  });
  if (known?.verdict === 'proven') return ended(intent, known);
  const payment = chain.paymentOf(intent);
  if (payment === undefined) return { intent, view: unseen(chain, 'no-mint') };
  const { node, reasonOf } = chain;
  let view: ChainView = unseen(chain, 'no-signature');
  let quietMs = 0;
  const looks: { look: Look; saw: ChainView }[] = [];
  for (const signature of signatures) {
    const sighting = await node.sight(signature, statuses, least);
    if (sighting.saw === 'nothing') quietMs = Math.max(quietMs, sighting.waitMs ?? 0);
    const look: Look = { signature, sighting, payment, host: node.host };
    looks.push({ look, saw: await judgeNow(look, intent, journal.reads) });
  }
  // Nothing new: one that waits does not write at each look.
  const [only, ...more] = looks;
  const isKnown = only?.saw.verdict === 'undecided' && isDeepStrictEqual(only.saw, known);
  if (isKnown && more.length === 0) return { intent, view: only.saw, quietMs };
  // The last look counts. A contradiction of one signature must not end it while another is undecided.
  looks.sort((one, other) => ranks.indexOf(one.saw.verdict) - ranks.indexOf(other.saw.verdict));
  for (const { look } of looks) view = await settle(look, intent, journal, reasonOf);
  return ended(await asItStands(intent, journal), view, quietMs);
}

/** The verdict as it is now. It changes if another process settles an intent meanwhile. */
export async function judgeNow(look: Look, intent: Intent, reads: Reads): Promise<ChainView> {
  const [first] = await reads.attemptsOf(intent.id);
  const beginning: Beginning = {
    atMs: first?.startedAtMs ?? intent.createdAtMs,
    isNamed: intent.namedBy !== undefined,
  };
  const { sighting, signature } = look;
  const isAnothers =
    sighting.saw === 'transaction' && (await isHeldByAnother(intent, signature, sighting.cluster, reads));
  return judgeLook(look, isAnothers, beginning);
}

/** The reason that is kept where a proven payment is also recorded as a decision; `nothing` records none. */
type Decides = 'nothing' | ((view: ChainView) => string);

/**
 * Records what was seen, in one commit: a transaction becomes this intent's own, and an intent that may have happened
 * has happened. If two processes see the same transaction, the second finds it taken and decides again.
 */
export async function settle(
  look: Look,
  intent: Intent,
  journal: Journal,
  decides: Decides,
): Promise<ChainView> {
  const { sighting, signature } = look;
  const own = sighting.saw === 'transaction' ? receiptsFor(intent.baseUrl, signature, sighting.cluster) : [];
  return journal.commit(async (tx) => {
    const view = await judgeNow(look, intent, tx);
    const atMs = journal.clock.now();
    if (isFinalMatch(view)) await tx.keepReceipts(intent.id, own.slice(0, 1));
    const last = (await tx.observationsOf(intent.id)).at(-1);
    const isNews = last === undefined || !isDeepStrictEqual(standingOf([last]), view);
    if (isNews) await tx.observe(intent.id, observationOf(view, own[0]?.origin, atMs));
    if (decides !== 'nothing' && view.verdict === 'proven')
      await decideHappened(view, decides(view), intent.id, tx, atMs);
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
  const state = (await tx.get(id))?.state;
  // The process that sends it now will learn more.
  if (state !== 'unknown' && state !== 'held') return;
  await tx.decide(id, { kind: 'happened', who: 'chain', atMs, reason, signature });
}

function observationOf(view: ChainView, genesis: string | undefined, atMs: number): Observation {
  const { verdict, signature } = view;
  return { verdict, atMs, signature, genesis, facts: JSON.stringify(view) };
}

const isFound: readonly ChainVerdict[] = ['proven', 'likely'];

/** For a service that was asked several times: also what else it paid, until nothing more can come. */
async function withPayments(
  view: ChainView,
  { intent, chain: { node, paymentOf }, signatures }: Asked,
  journal: Journal,
): Promise<ChainView> {
  const payment = paymentOf(intent);
  const { signature, block_time: at, verdict } = view;
  if (!wasRepeated(intent) || isPaidAgain(view) || payment?.wallet === undefined) return view;
  // Its own payment is known, or never will be.
  if (!isFound.includes(verdict) && signatures.length > 0) return view;
  const observations = await journal.reads.observationsOf(intent.id);
  const kept = observations.findLast(({ verdict }) => verdict === 'proven');
  const isOver = (atMs: number): Promise<boolean> => isSearchedAt(intent, journal.reads, atMs);
  if (kept !== undefined && view.payments !== undefined && (await isOver(kept.atMs))) return view;
  const own = signature === undefined ? undefined : { signature, ...(at === undefined ? {} : { at }) };
  const searched = { intent, payment: { ...payment, wallet: payment.wallet }, node };
  const payments = await paymentsOf(searched, own, journal);
  if (payments === undefined) return view;
  const found = { ...view, payments };
  const atMs = journal.clock.now();
  if (kept !== undefined && (isPaidAgain(found) || (await isOver(atMs))))
    await journal.commit((tx) => tx.observe(intent.id, observationOf(found, kept.genesis, atMs)));
  return found;
}

export async function signaturesOf(intent: Intent, reads: Reads): Promise<string[]> {
  const attempts = await reads.attemptsOf(intent.id);
  return ownSignatures(intent, attempts, await reads.decisionsOf(intent.id));
}

const ranks: readonly ChainVerdict[] = ['contradicted', 'likely', 'undecided', 'proven'];

async function asItStands(intent: Intent, { reads }: Journal): Promise<Intent> {
  return (await reads.get(intent.id)) ?? intent;
}

/** The view of a transfer that cannot be looked for. */
function unseen({ node }: Chain, because: 'no-signature' | 'no-mint'): ChainView {
  return { verdict: 'undecided', rpc: node.host, reasons: [because] };
}

/** How long, and for what, `--wait` waits. */
export type WaitOptions = { readonly until: Until; readonly waitMs: number };

type Watching = WaitOptions & {
  readonly interrupted: AbortSignal;
  readonly clock: { now(): number; sleep(waitMs: number, signal: AbortSignal): Promise<void> };
  /** Called after each look that does not end it. */
  onLook(verified: Verified): void;
  /** Called once for each transfer that no later look would tell more about. */
  onEnd(verified: Verified): Promise<void>;
};

const firstPauseMs = 250;
const longestPauseMs = 2000;
const pageLength = 256;

/** Looks again and again until each transfer has reached the commitment or the time is up. Returns the ids of those left. */
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
      open.push(verified.intent.id);
      waited = Math.max(waited, verified.quietMs ?? 0);
      onLook(verified);
    };
    for (let from = 0; from < left.length; from += pageLength) {
      const page = await Promise.all(left.slice(from, from + pageLength).map((id) => journal.reads.get(id)));
      const intents = page.filter((one) => one !== undefined);
      await verifyEach(intents, { of: async () => chain }, journal, note, until);
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
