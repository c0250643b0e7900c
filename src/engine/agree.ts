import type { EngineContext } from './context.ts';
import type { Identity } from './identity.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { makePlan, type Plan } from './plan.ts';
import { meaningOf } from './planKinds.ts';

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
