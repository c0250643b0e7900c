import type { Intent, Reads } from '../journal/journal.ts';
import type { EngineContext } from './context.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { type Identity, isBeingSent, isInDoubt, makePlan, type Plan } from './plan.ts';
import { isDone, meaningOf } from './planKinds.ts';

/** A person's answer to a plan. `anew` means: do it once more, despite the replay or the twin. */
export type Answer = 'go' | 'anew' | 'no';

/** Asks a person, if there is one, before anything is journaled. */
export type Consent = (plan: Plan) => Promise<Answer>;

/** Asks about the plan, and about every plan it turns into, until a person has agreed to what will be done. */
export async function agree(
  identity: Identity,
  engine: EngineContext,
  consent: Consent,
): Promise<Plan | Outcome> {
  const overruled = new Set<string>();
  for (;;) {
    const plan = await makePlan(identity, engine.bot, engine.journal.reads, engine.clock.now(), overruled);
    // A person who overruled a plan has seen all of it, also what it repeats. Ask again only about a twin that has
    // appeared since.
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

/** Without a Yes nothing is sent. If an earlier attempt may have landed, that is reported, whatever the answer was. */
async function leaveDoubtful({ found }: Plan, engine: EngineContext): Promise<Outcome | undefined> {
  if (found === undefined) return undefined;
  return engine.commit(async (tx) => {
    await tx.recordDeath(found.id, engine.clock.now());
    const intent = mustFind(await tx.get(found.id));
    return isInDoubt({ found: intent }) ? concluded(intent, tx, false) : undefined;
  });
}

const pollMs = 50;
/** Slower: each poll goes over a network, to a server with other clients. */
const sharedPollMs = 250;

/** Random on a shared journal, so that waiting processes do not poll in step. */
function pauseMs({ journal, chance }: EngineContext): number {
  return journal.isShared ? sharedPollMs * (0.75 + chance.fraction() / 2) : pollMs;
}

/** The owner has its outcome and is about to report it. Its twin needs to ask only if that never happens. */
async function isAboutToBeTold(
  now: Intent | undefined,
  owner: string | undefined,
  reads: Reads,
): Promise<boolean> {
  if (now === undefined || !isDone(now) || now.reportedAtMs !== undefined) return false;
  const isNamedForGood = now.namedBy !== undefined && now.namedBy !== 'run';
  return !isNamedForGood && owner !== undefined && reads.ownerLives(owner);
}

/** A batch gave it back without sending it, so a process that waited for it can send it. */
async function wasGivenBack(now: Intent | undefined, reads: Reads): Promise<boolean> {
  if (now?.state !== 'open' && now?.state !== 'unknown') return false;
  return (await reads.decisiveAttempt(now.id))?.trouble?.is === 'given-back';
}

/**
 * How waiting for an owner ended. `inAllMs` is how long we have waited for all owners of this claim while they were
 * sending.
 */
type Waited = {
  readonly is: 'ended' | 'given-back' | 'owner-died' | 'time-is-up';
  readonly inAllMs: number;
};

/** Waits while another living process sends it, for `ownerWaitMs` or else for `--max-wait`. */
export async function waitForOwner(
  { intent, twin }: { readonly intent: Intent; readonly twin: boolean },
  engine: EngineContext,
  beforeMs: number,
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
