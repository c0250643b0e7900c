import type { Entry } from '../journal/journal.ts';
import { answersTo } from './answers.ts';
import type { Besides, EngineContext } from './context.ts';
import { type Course, decide, type Undecided } from './decide.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { makePlan, type Ordered, type Plan, toSend } from './plan.ts';
import { isBeingSent, mayHaveTakenEffect } from './standing.ts';

/** A person's answer. `pay`: pay it in spite of an equal payment. `again`: do it once more, although it was done. */
type Answer = 'go' | 'pay' | 'again' | 'no';

/** Asks a person, if there is one, before anything is journaled. `course` is what the plan would lead to now. */
export type Consent = (plan: Plan, course: Course) => Promise<Answer>;

/** What a person agreed to after seeing the plan. */
export type Agreed = {
  readonly plan: Plan;
  readonly again: boolean;
  /** The equal payments that the person was shown. They do not block this one. */
  readonly besides: Besides | undefined;
  /** Whether sending was agreed. False if the plan would not have sent it. */
  readonly mayBegin: boolean;
};

/** Makes the plan, and asks a person about it if it would send or propose something. */
export async function agree(
  ordered: Ordered,
  engine: EngineContext,
  consent: Consent,
  waitedFor: string | undefined,
): Promise<Agreed | Outcome> {
  const { reads } = engine.journal;
  const plan = await makePlan(ordered.identity, engine, reads, { waitedFor });
  const unasked = { plan, again: false, besides: engine.besides, mayBegin: false };
  if (plan.is === 'name-taken') return unasked;
  // A Yes to "again?" begins a new entry.
  const isDoneBefore = plan.is === 'already-done' && ordered.identity.key === undefined;
  const asked: Undecided = isDoneBefore ? { is: 'new-entry', entry: plan.entry } : plan;
  const course = decide(asked, await answersTo(asked, toSend(asked, ordered, engine), reads, engine));
  const isSent = course.is === 'send' || course.is === 'paid-already';
  if (!isSent && (course.is !== 'propose' || engine.proposes === true || isDoneBefore)) return unasked;
  const besides = { ids: course.is === 'paid-already' ? course.ids : [] };
  const answer = await answerTo(plan, course, engine, consent);
  switch (answer) {
    case 'go':
      return { ...unasked, mayBegin: isSent };
    case 'pay':
      return { ...unasked, besides, mayBegin: true };
    case 'again':
      return { plan: asked, again: true, besides, mayBegin: true };
    default:
      return answer;
  }
}

async function answerTo(
  plan: Plan,
  course: Course,
  engine: EngineContext,
  consent: Consent,
): Promise<Exclude<Answer, 'no'> | Outcome> {
  try {
    const answer = await consent(plan, course);
    if (answer !== 'no') return answer;
  } catch (unanswered) {
    const doubtful = await leaveDoubtful(plan, engine);
    if (doubtful !== undefined) return doubtful;
    throw unanswered;
  }
  return (await leaveDoubtful(plan, engine)) ?? { is: 'not-sent', because: 'declined' };
}

/** Without a Yes nothing is sent. If an earlier attempt may have taken effect, the outcome says so. */
async function leaveDoubtful({ entry: planned }: Plan, engine: EngineContext): Promise<Outcome | undefined> {
  if (planned === undefined) return undefined;
  return engine.commit(async (tx) => {
    await tx.recordDeath(planned.id, engine.clock.now());
    const entry = mustFind(await tx.get(planned.id));
    return mayHaveTakenEffect(entry) ? concluded(entry, tx, false) : undefined;
  });
}

const pollMs = 50;
/** Slower: each poll goes over a network, to a server with other clients. */
const sharedPollMs = 250;

/** Random on a shared journal, so that waiting processes do not poll in step. */
function pauseMs({ journal, chance }: EngineContext): number {
  return journal.isShared ? sharedPollMs * (0.75 + chance.fraction() / 2) : pollMs;
}

/** How the wait for an owner ended, and how long this claim has waited for owners in all. */
type Waited = { readonly is: 'ended' | 'time-is-up'; readonly inAllMs: number };

/** Waits while another living process sends the entry: at most `ownerWaitMs`, or `--max-wait` if that is not set. */
export async function waitForOwner(
  { id, owner }: Entry,
  engine: EngineContext,
  beforeMs: number,
): Promise<Waited> {
  const { clock, limits, interrupts, observer, journal } = engine;
  const mostMs = limits.ownerWaitMs ?? limits.maxWaitMs;
  const poll = async (): Promise<Waited> => {
    const startedAtMs = clock.now();
    let waitedMs = beforeMs;
    for (;;) {
      const now = await journal.reads.get(id);
      if (now === undefined || now.owner !== owner || !isBeingSent(now))
        return { is: 'ended', inAllMs: waitedMs };
      if (waitedMs >= mostMs || interrupts.first.aborted) return { is: 'time-is-up', inAllMs: waitedMs };
      const pause = pauseMs(engine);
      await clock.sleep(pause, interrupts.first);
      waitedMs = Math.max(waitedMs + pause, beforeMs + clock.now() - startedAtMs);
    }
  };
  return observer.during({ for: 'other-process', id }, poll());
}
