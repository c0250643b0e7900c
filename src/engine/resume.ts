import type { Decision, Intent, Transaction } from '../journal/journal.ts';
import { type Claim, claimAllowed, guardsOf, resumeOrHold, type Step, untilClaimed } from './claim.ts';
import type { EngineContext } from './context.ts';
import { carryOut } from './execute.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { findTwin } from './plan.ts';

/** Sends one known intent again, with its own key and bytes, as far as the rules let it. */
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

/** Nothing of it has left: it must not slip past a payment that it may be. */
async function takeUpOpen(intent: Intent, tx: Transaction, engine: EngineContext): Promise<Step> {
  const found = await findTwin(intent, tx, engine.clock.now());
  if (found === undefined) return resumeOrHold(intent, tx, engine);
  if (found.is === 'wait-for-twin') return { is: 'wait', intent: found.twin, twin: true };
  return { is: 'not-sent', because: found.is, intent: found.twin };
}

/** The operator's word is kept in the same commit that sends it again. */
async function takeUpHeld(
  intent: Intent,
  tx: Transaction,
  engine: EngineContext,
  decision: Decision,
): Promise<Claim | Outcome> {
  return claimAllowed(intent, tx, engine, decision);
}
