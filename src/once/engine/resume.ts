import { isDeepStrictEqual } from 'node:util';
import type { Decision, Intent, Journal, Reads, Transaction } from '../journal/journal.ts';
import { type Claim, claimAllowed, guardsOf, resumeOrHold, type Step, untilClaimed } from './claim.ts';
import type { EngineContext } from './context.ts';
import { carryOut } from './execute.ts';
import { engineFailure } from './facts.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { findTwin, isBeingSent } from './plan.ts';

/** Sends a known intent again with its own key and bytes, as far as the rules allow. */
export async function resume(
  id: string,
  engine: EngineContext,
  sendAgain: Decision | undefined,
): Promise<Outcome> {
  const guards = guardsOf(mustFind(await engine.journal.reads.get(id)), engine);
  const step = await untilClaimed(
    () => engine.commit((tx) => takeUp(id, tx, engine, sendAgain), guards),
    engine,
  );
  return step.is === 'claim' ? carryOut(step, engine) : step;
}

async function takeUp(
  id: string,
  tx: Transaction,
  engine: EngineContext,
  sendAgain: Decision | undefined,
): Promise<Step> {
  await tx.recordDeath(id, engine.clock.now());
  const intent = mustFind(await tx.get(id));
  switch (intent.state) {
    case 'sending':
      return { is: 'wait', intent, twin: false };
    case 'unknown':
      return resumeOrHold(intent, tx, engine);
    case 'open':
      return takeUpOpen(intent, tx, engine);
    case 'held':
      return sendAgain === undefined
        ? concluded(intent, tx, false)
        : takeUpHeld(intent, tx, engine, sendAgain);
    case 'accepted':
    case 'rejected':
    case 'resolved':
      return concluded(intent, tx, 'from-journal');
  }
}

/** Nothing of it has left, so it must not bypass another payment that may be the same. */
async function takeUpOpen(intent: Intent, tx: Transaction, engine: EngineContext): Promise<Step> {
  const found = await findTwin(intent, tx, engine.clock.now());
  if (found === undefined) return resumeOrHold(intent, tx, engine);
  if (found.is === 'wait-for-twin') return { is: 'wait', intent: found.twin, twin: true };
  return { is: 'not-sent', because: found.is, intent: found.twin };
}

/** Records the operator's decision in the same commit that sends it again. */
async function takeUpHeld(
  intent: Intent,
  tx: Transaction,
  engine: EngineContext,
  decision: Decision,
): Promise<Claim | Outcome> {
  return claimAllowed(intent, tx, engine, decision);
}

/** Records an operator's decision whether it happened. Refused if the journal has proof, or a contrary decision. */
export async function resolveIntent(
  id: string,
  decision: Decision,
  journal: Journal,
  overrule: boolean = false,
): Promise<Intent> {
  const { beforeSending: _nothingIsSent, ...guards } = guardsOf(mustFind(await journal.reads.get(id)), {
    journal,
  });
  return journal.commit(async (tx) => {
    await tx.recordDeath(id, decision.atMs);
    const intent = mustFind(await tx.get(id));
    refuseWhatIsProven(intent);
    if (!overrule && reverses(decision, intent)) {
      throw engineFailure('decided-otherwise', { id, decision, earlier: await lastDecision(id, tx) });
    }
    // The commit ran again because its result was lost. The decision is already there.
    if (isDeepStrictEqual(await lastDecision(id, tx), decision)) return intent;
    await tx.decide(id, decision);
    return (await tx.get(id)) ?? intent;
  }, guards);
}

function refuseWhatIsProven(intent: Intent): void {
  const { id, state } = intent;
  if (isBeingSent(intent)) throw engineFailure('being-sent', { id });
  if (state === 'accepted' || state === 'rejected') throw engineFailure('proven', { id, state });
}

/** Whether it would reverse an earlier decision. */
export function reverses({ kind }: Decision, { state, resolvedAs }: Intent): boolean {
  return state === 'resolved' && resolvedAs !== kind;
}

/** The last decision on whether it happened. */
export async function lastDecision(id: string, reads: Reads): Promise<Decision | undefined> {
  const decisions = await reads.decisionsOf(id);
  return decisions.findLast(({ kind }) => kind !== 'send-again');
}
