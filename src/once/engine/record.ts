import { asFailure, type Failure } from '../failures.ts';
import type { Attempt, Entry, State, Transaction } from '../journal/journal.ts';
import type { Trouble } from '../wire/trouble.ts';
import type { EngineContext } from './context.ts';
import { type JudgedReply, type Tries, withReceiptsChecked } from './judgedReply.ts';
import { mustFind, type Outcome, type Stopped } from './outcome.ts';
import { isTooOld } from './plan.ts';
import type { ReplyMeaning } from './replyMeaning.ts';
import type { Claim } from './take.ts';

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

/** Why nothing may be sent although the connection is open. */
type NotAllowedToLeave =
  | { readonly because: 'too-old' }
  | { readonly because: 'journal'; readonly failure: Failure };

/**
 * Asked when the connection is open and nothing is written yet. Connecting can take long, and a process can be frozen
 * for days, so what was true when the attempt was recorded may have changed.
 */
export class LastCheck {
  readonly #entry: Entry;
  readonly #engine: EngineContext;
  #shut: NotAllowedToLeave | undefined;

  constructor(entry: Entry, engine: EngineContext) {
    this.#entry = entry;
    this.#engine = engine;
  }

  /** Why nothing may be sent at all. Undefined if only this claim is stale: the next one may be sent. */
  get blocked(): NotAllowedToLeave | undefined {
    return this.#shut;
  }

  /** Why the request must not be sent; undefined if it may. */
  ask(): Trouble | undefined {
    const { journal, clock, interrupts } = this.#engine;
    if (interrupts.first.aborted) return { is: 'interrupted' };
    const failure = journalTrouble(journal, true);
    if (failure !== undefined) {
      this.#shut = { because: 'journal', failure };
      return { is: 'journal-gone' };
    }
    // Another process took over, or soon may.
    if (journal.trouble() !== undefined) return { is: 'claim-too-old' };
    if (!isTooOld(this.#entry, clock.now())) return undefined;
    this.#shut = { because: 'too-old' };
    return { is: 'too-late' };
  }
}

/**
 * If the journal's own files are gone, what is written is lost with this process. Then nothing may leave, and nothing
 * counts as recorded.
 */
function journalTrouble(
  journal: Pick<EngineContext['journal'], 'trouble'>,
  isLast = false,
): Failure | undefined {
  try {
    const trouble = journal.trouble(isLast);
    return trouble === 'stale-claim' ? undefined : trouble;
  } catch (thrown) {
    return asFailure(thrown);
  }
}
