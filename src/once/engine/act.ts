import type { Decision, Entry, NewEntry, Transaction } from '../journal/journal.ts';
import { answersTo, mustBeIntact, mustHaveIntactRequest } from './answers.ts';
import type { EngineContext } from './context.ts';
import { type Course, decide, type Undecided } from './decide.ts';
import { becauseClosed, concluded, mustFind, type Outcome } from './outcome.ts';
import type { HeldReason } from './replyMeaning.ts';

/** An entry that this process owns, and the attempt (`number`) that is on record and may be made. */
export type Claim = {
  readonly is: 'claim';
  readonly entry: Entry;
  readonly number: number;
};

/** The result of one look at the journal and one commit. */
export type Step =
  | Claim
  | Outcome
  | { readonly is: 'wait'; readonly entry: Entry }
  | { readonly is: 'changed' };

/** What a person decided about it. */
type ByPeople = {
  /** The decision to send it although it is held. Recorded in the commit that sends it. */
  readonly decision?: Decision | undefined;
  /** False if sending was not agreed, because the agreed plan would not have sent it. */
  readonly mayBegin?: boolean | undefined;
};

/** Decides what to do with a plan, and does it. `entry` is the entry as it would be sent. */
export async function actOn(
  plan: Undecided,
  entry: NewEntry,
  tx: Transaction,
  engine: EngineContext,
  { decision, mayBegin = true }: ByPeople = {},
): Promise<Step> {
  const course = decide(plan, await answersTo(plan, entry, tx, engine));
  if (course.is === 'send' && !mayBegin) return { is: 'changed' };
  switch (course.is) {
    case 'send':
      return beginAttempt(course, entry, tx, engine, decision);
    case 'propose':
      return propose(course, entry, tx, engine);
    case 'hold':
      return hold(course.entry, course.why, tx, engine);
    case 'leave':
      return { ...(await concluded(course.entry, tx, false)), stopped: becauseClosed(course.closed) };
    case 'refuse':
      return { is: 'not-sent', because: 'refused', failure: course.failure };
    case 'paid-already':
      return { is: 'not-sent', because: 'paid-already', equal: course.equal, ids: course.ids };
    case 'wait':
      return { is: 'wait', entry: course.entry };
    case 'needs-decision':
      return concluded(course.entry, tx, false);
    case 'already-done':
      return concluded(mustBeIntact(course.entry, 'done'), tx, true);
  }
}

type Sent<Is extends Course['is']> = Extract<Course, { is: Is }>;

async function beginAttempt(
  { entry: onRecord, reserve }: Sent<'send'>,
  entry: NewEntry,
  tx: Transaction,
  { journal, bot, clock }: EngineContext,
  decision: Decision | undefined,
): Promise<Claim> {
  const nowMs = clock.now();
  const tokenHash = journal.hashOf(bot.token.reveal());
  if (onRecord !== undefined) {
    await rewrite(onRecord, entry, tx);
    if (decision !== undefined)
      await tx.decide(onRecord.id, { ...decision, fingerprint: onRecord.fingerprint });
    await tx.claim(onRecord.id, nowMs);
  }
  const begun =
    onRecord === undefined
      ? await tx.begin(entry, tokenHash, nowMs)
      : mustHaveIntactRequest(await tx.startAttempt(onRecord.id, tokenHash, nowMs));
  reserve?.();
  return { is: 'claim', entry: begun, number: begun.attempts };
}

/** Gives the entry on record the bot and the body with which it is sent. Its key does not change. */
export async function rewrite(onRecord: Entry, entry: NewEntry, tx: Transaction): Promise<void> {
  if (onRecord.fingerprint !== entry.fingerprint || onRecord.bot !== entry.bot)
    await tx.rewrite(onRecord.id, entry);
}

async function propose(
  { entry: onRecord, why, needs }: Sent<'propose'>,
  entry: NewEntry,
  tx: Transaction,
  engine: EngineContext,
): Promise<Outcome> {
  const { who, clock } = engine;
  const { id, fingerprint } = entry;
  const proposed = onRecord === undefined ? await tx.propose(entry, 'approval', clock.now()) : undefined;
  if (onRecord !== undefined) await rewrite(onRecord, entry, tx);
  const earlier = onRecord === undefined ? [] : await tx.decisionsOf(id);
  // Only the first command that asked for an approval is the proposer. A re-run may require another role.
  if (!earlier.some((one) => one.kind === 'proposed' && (needs === undefined || one.needs === needs))) {
    const proposal = { kind: 'proposed', reason: why, signature: undefined, fingerprint, needs } as const;
    await tx.decide(id, { ...proposal, who, atMs: clock.now() });
  }
  return proposed === undefined ? hold(entry, 'approval', tx, engine) : concluded(proposed, tx, false);
}

async function hold(
  { id }: Pick<Entry, 'id'>,
  why: HeldReason,
  tx: Transaction,
  { clock }: EngineContext,
): Promise<Outcome> {
  await tx.hold(id, why, clock.now());
  return concluded(mustFind(await tx.get(id)), tx, false);
}
