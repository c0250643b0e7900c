import type { Attempt, Entry, State, Transaction } from '../journal/journal.ts';
import type { Claim } from './act.ts';
import type { EngineContext } from './context.ts';
import { type JudgedReply, type Tries, withReceiptsChecked } from './judgedReply.ts';
import { journalTrouble } from './lastCheck.ts';
import { mustFind, type Outcome, type Stopped } from './outcome.ts';
import type { ReplyMeaning } from './replyMeaning.ts';

/** The entry's state if no further attempt follows. */
export function stateAtEnd(
  meaning: ReplyMeaning,
  isInDoubt: boolean,
  stopped: Stopped | undefined,
): Exclude<State, 'sending' | 'resolved' | 'declined'> {
  const { verdict, heldAtEnd } = meaning;
  if (verdict === 'accepted' || verdict === 'rejected' || verdict === 'held') return verdict;
  const isCutShort = stopped?.because === 'interrupted' || stopped?.because === 'closed';
  if (heldAtEnd === true && !isCutShort) return 'held';
  return isInDoubt || verdict === 'unknown' ? 'unknown' : 'open';
}

/** The result of an attempt, as it was recorded, and what follows. */
export type Recorded = {
  readonly judged: JudgedReply;
  readonly follows: Outcome | { readonly is: 'try-again'; readonly entry: Entry; readonly waitMs: number };
};

/** Records the result of an attempt and, in the same commit, the outcome if there is one. */
export async function record(
  claim: Claim,
  seen: JudgedReply,
  startedAtMs: number,
  tries: Tries,
  engine: EngineContext,
): Promise<Recorded> {
  // Decided once, outside the commit: a commit that is shared with others runs again if one of them fails.
  const nextOfSeen = nextTry(seen, tries);
  try {
    const recorded = await engine.commit(async (tx): Promise<Recorded> => {
      const judged = await withReceiptsChecked(seen, claim, tx, engine);
      const next = judged === seen ? nextOfSeen : nextTry(judged, tries);
      return { judged, follows: await recordNow(claim, judged, next, startedAtMs, tx, engine) };
    });
    const gone = journalTrouble(engine.journal);
    if (gone === undefined) return recorded;
    return { judged: seen, follows: notRecorded(claim, seen, startedAtMs, gone, engine) };
  } catch (cause) {
    return { judged: seen, follows: notRecorded(claim, seen, startedAtMs, cause, engine) };
  }
}

/** How long to wait before the next try, or why no try follows; undefined if the entry has its outcome. */
function nextTry({ meaning, end }: JudgedReply, tries: Tries): number | Stopped | undefined {
  if (meaning.next === 'done') return undefined;
  return meaning.next === 'try-again' ? tries.next(end) : { because: 'nothing-to-gain' };
}

async function recordNow(
  { entry: claimed, number }: Claim,
  { end, meaning, receipts }: JudgedReply,
  next: number | Stopped | undefined,
  startedAtMs: number,
  tx: Transaction,
  { clock }: EngineContext,
): Promise<Recorded['follows']> {
  const nowMs = clock.now();
  const { id, inDoubtSinceMs } = claimed;
  const endAttempt = [
    tx.endAttempt(id, number, end, nowMs),
    ...(end.verdict === 'accepted' && receipts.length > 0 ? [tx.keepReceipts(id, receipts)] : []),
  ];
  if (typeof next === 'number') {
    await Promise.all(endAttempt);
    return { is: 'try-again', entry: mustFind(await tx.get(id)), waitMs: next };
  }
  const state = stateAtEnd(meaning, inDoubtSinceMs !== undefined, next);
  const why = state === 'held' ? meaning.heldReason : undefined;
  // Together: on a server this is one round trip.
  const [isOwn] = await Promise.all([tx.conclude(id, state, why, nowMs), ...endAttempt]);
  const entry = isOwn && state === 'accepted' ? acceptedNow(claimed, nowMs) : mustFind(await tx.get(id));
  // If the entry is accepted but this attempt was not, an earlier attempt has the proof.
  const tells = entry.state !== 'accepted' || end.verdict === 'accepted';
  return {
    is: 'concluded',
    entry,
    attempt: tells ? { ...end, number, startedAtMs, endedAtMs: nowMs } : await tx.decisiveAttempt(id),
    replayed: false,
    ...(next && { stopped: next }),
  };
}

/** No other process has changed it since the claim. Reading 27 columns back costs a twentieth of a batch's row. */
function acceptedNow(claimed: Entry, updatedAtMs: number): Entry {
  const accepted = { state: 'accepted', owner: undefined, ownerLives: false, updatedAtMs } as const;
  return Object.assign({}, claimed, accepted);
}

/** The result of an attempt must be reported even if the journal cannot record it. */
export function notRecorded(
  { entry, number }: Claim,
  { end }: JudgedReply,
  startedAtMs: number,
  cause: unknown,
  { clock }: EngineContext,
): Outcome {
  const attempt: Attempt = { ...end, number, startedAtMs, endedAtMs: clock.now() };
  return { is: 'not-recorded', entry, attempt, cause };
}
