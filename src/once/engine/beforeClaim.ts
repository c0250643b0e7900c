import type { Intent, Reads } from '../journal/journal.ts';
import type { EngineContext } from './context.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { type Identity, isBeingSent, makePlan, type Plan } from './plan.ts';
import { isDone, meaningOf } from './planKinds.ts';

/** What a person says to a plan. `anew`: not the replay, nor the twin; do it once more. */
export type Answer = 'go' | 'anew' | 'no';

/** Asks a person, where there is one, before anything is journaled. */
export type Consent = (plan: Plan) => Promise<Answer>;

/** Asks about the plan, and about each that it becomes, until a person has seen and agreed to what is done. */
export async function agree(
  identity: Identity,
  engine: EngineContext,
  consent: Consent,
): Promise<Plan | Outcome> {
  const overruled = new Set<string>();
  for (;;) {
    const plan = await makePlan(identity, engine.bot, engine.journal.reads, engine.clock.now(), overruled);
    // Whoever wants it done anew has seen all of it; but a twin that shows only then is asked about too.
    if (overruled.size > 0 && meaningOf(plan).asks !== 'send-anyway') return plan;
    const answer = await answerTo(plan, engine, consent);
    if (typeof answer === 'object') return answer;
    if (answer === 'go') return plan;
    overruled.add(plan.twin?.id ?? plan.is);
  }
}

async function answerTo(
  plan: Plan,
  engine: EngineContext,
  consent: Consent,
): Promise<'go' | 'anew' | Outcome> {
  try {
    const answer = await consent(plan);
    if (answer !== 'no') return answer;
  } catch (unanswered) {
    const doubtful = await leaveDoubtful(plan, engine);
    if (doubtful !== undefined) return doubtful;
    throw unanswered;
  }
  return (await leaveDoubtful(plan, engine)) ?? { is: 'not-sent', because: 'declined' };
}

/** Without a Yes nothing is sent; but what may have happened before is told as that, whatever was answered. */
async function leaveDoubtful({ found }: Plan, engine: EngineContext): Promise<Outcome | undefined> {
  if (found === undefined) return undefined;
  return engine.commit(async (tx) => {
    await tx.recordDeath(found.id, engine.clock.now());
    const intent = mustFind(await tx.get(found.id));
    const isDoubtful = intent.state === 'unknown' || intent.state === 'sending';
    return isDoubtful ? concluded(intent, tx, false) : undefined;
  });
}

const pollMs = 50;
/** Over a network, and of a server that others ask too. */
const sharedPollMs = 250;

/** Not in step with others that wait for the same. */
function pauseMs({ journal, chance }: EngineContext): number {
  return journal.isShared ? sharedPollMs * (0.75 + chance.fraction() / 2) : pollMs;
}

/** Its process has its outcome and is about to tell it: only if it never does, a twin of it has to ask. */
async function isAboutToBeTold(
  now: Intent | undefined,
  owner: string | undefined,
  reads: Reads,
): Promise<boolean> {
  if (now === undefined || !isDone(now) || now.reportedAtMs !== undefined) return false;
  const isNamedForGood = now.namedBy !== undefined && now.namedBy !== 'run';
  return !isNamedForGood && owner !== undefined && reads.ownerLives(owner);
}

/** A batch claimed it and did not begin to send it: a process that waited for it can send it instead. */
async function wasGivenBack(now: Intent | undefined, reads: Reads): Promise<boolean> {
  if (now?.state !== 'open' && now?.state !== 'unknown') return false;
  return (await reads.decisiveAttempt(now.id))?.trouble?.is === 'given-back';
}

/** How the wait for an owner ended, and how long all owners of one claim have been waited for while they sent. */
type Waited = {
  readonly is: 'ended' | 'given-back' | 'owner-died' | 'time-is-up';
  readonly inAllMs: number;
};

/** Waits while another living process sends it: `--max-wait` at most, or as long as the caller has for that. */
export async function waitForOwner(
  { intent, twin }: { readonly intent: Intent; readonly twin: boolean },
  engine: EngineContext,
  beforeMs = 0,
): Promise<Waited> {
  const { clock, limits, interrupts, observer } = engine;
  const { reads } = engine.journal;
  const mostMs = limits.ownerWaitMs ?? limits.maxWaitMs;
  const poll = async (): Promise<Waited> => {
    const startedAtMs = clock.now();
    let waitedMs = beforeMs;
    let inAllMs = beforeMs;
    for (;;) {
      const now = await reads.get(intent.id);
      const ended = now?.state !== 'sending' || now.owner !== intent.owner;
      const isLate = waitedMs >= mostMs || interrupts.first.aborted;
      if (!ended) inAllMs = waitedMs;
      const after = (is: Waited['is']): Waited => ({ is, inAllMs });
      if (ended && (isLate || !twin || !(await isAboutToBeTold(now, intent.owner, reads))))
        return after((await wasGivenBack(now, reads)) ? 'given-back' : 'ended');
      if (!ended && !isBeingSent(now)) return after('owner-died');
      if (isLate) return after('time-is-up');
      if (intent.namedBy === 'row' && intent.owner !== undefined) await engine.journal.askOwner(intent.owner);
      const pause = pauseMs(engine);
      await clock.sleep(pause, interrupts.first);
      waitedMs = Math.max(waitedMs + pause, beforeMs + clock.now() - startedAtMs);
    }
  };
  return observer.during({ for: 'other-process', id: intent.id }, poll());
}
