import { isWhole } from '../entry/wanted.ts';
import type { Failure } from '../failures.ts';
import { whyClosed } from '../journal/failures.ts';
import type { Entry, Journal, NewEntry, Reads, SpendingReads } from '../journal/journal.ts';
import { allowed, type EngineContext } from './context.ts';
import type { Answers } from './decide.ts';
import { equalPayments } from './equal.ts';
import { engineFailure } from './failures.ts';
import type { Plan } from './plan.ts';
import { meaningOf } from './planKinds.ts';

/** The answers for a plan that sends nothing, so nothing is asked. */
const unasked: Answers = { policy: allowed, closed: undefined, equal: [], isNamed: true };

type AnsweringReads = SpendingReads & Pick<Reads, 'decisionsOf' | 'closings' | 'equalEntries' | 'rowsSince'>;

/** The reads of a journal that does not exist yet. */
export const nothingRecorded: AnsweringReads = {
  spending: async () => ({ units: 0n }),
  spent: async () => [],
  decisionsOf: async () => [],
  closings: async () => [],
  equalEntries: async () => [],
  rowsSince: async () => [],
};

type Asking = Pick<EngineContext, 'bot' | 'besides' | 'mayClaim' | 'proposes'> & {
  readonly journal: Pick<Journal, 'place' | 'isShared'>;
  readonly clock: { now(): number };
};

/** Asks what `decide` must know before `entry` is sent. The commit that sends it asks again. */
export async function answersTo(
  plan: Plan,
  entry: NewEntry,
  reads: AnsweringReads,
  engine: Asking,
): Promise<Answers> {
  if (meaningOf(plan).sends === 'nothing') return unasked;
  // Checked first, because a policy reads the body.
  if (entry === plan.entry) mustHaveIntactRequest(plan.entry);
  // Together: on a server this is one round trip.
  const [policy, closed, equal] = await Promise.all([
    engine.mayClaim(entry, plan.is === 'new-entry' ? undefined : plan.entry, reads, engine),
    closedFor(reads, engine.journal),
    equalAhead(plan, entry, reads, engine),
  ]);
  return { policy, closed, equal, isNamed: entry.namedBy !== undefined };
}

/** The equal payments that block this plan. A retry is not checked again: its first attempt was. */
export async function equalAhead(
  plan: Plan,
  { payment }: Pick<Entry, 'payment'>,
  reads: Pick<Reads, 'equalEntries' | 'rowsSince'>,
  { bot, clock, besides }: Pick<EngineContext, 'bot' | 'besides'> & { readonly clock: { now(): number } },
): Promise<readonly Entry[]> {
  if (meaningOf(plan).sends === 'nothing' || plan.is === 'retry') return [];
  const id = plan.is === 'send-same-key' ? plan.entry.id : '';
  return equalPayments({ id, baseUrl: bot.baseUrl, payment }, bot, reads, clock.now(), besides);
}

/** Why the journal begins no attempt. A commit that begins one must ask; others ask only to report it early. */
export async function closedFor(
  reads: Pick<Reads, 'closings'>,
  { place }: Pick<Journal, 'place'>,
): Promise<Failure | undefined> {
  return whyClosed(place, await reads.closings());
}

/** A flipped bit on the disk must not be sent, taken for another body, or reported as what happened. */
export function mustBeIntact(entry: Entry, before?: 'done' | 'in-doubt'): Entry {
  const { id, body, key, fingerprint } = entry;
  if (isWhole(body, key, fingerprint)) return entry;
  throw engineFailure('entry-changed', { id, before });
}

export function mustHaveIntactRequest(entry: Entry): Entry {
  return mustBeIntact(entry, entry.inDoubtSinceMs === undefined ? undefined : 'in-doubt');
}

/** Refuses a decision in a journal that was moved: its entries go on at the other place. */
export async function refuseMoved(
  reads: Pick<Reads, 'closings'>,
  journal: Pick<Journal, 'place'>,
): Promise<void> {
  const closed = await closedFor(reads, journal);
  if (closed?.code === 'journal-moved') throw closed;
}
