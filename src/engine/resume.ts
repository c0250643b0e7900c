import type { Decision, Intent } from '../journal/journal.ts';
import { afterWaiting, type Claimed, claimed, concluded, known, resumeOrHold, type Step } from './claim.ts';
import type { Doing, Ended } from './doing.ts';
import { carryOut } from './execute.ts';
import { findUnfinishedTwin, isBeingSent } from './plan.ts';

/** Sends one known intent again, with its own key and bytes, as far as the rules let it. */
export async function resume(id: string, doing: Doing, sendAgain: Decision | undefined): Promise<Ended> {
  const step = await afterWaiting(() => doing.commit(() => takeUp(id, doing, sendAgain)), doing);
  return step.is === 'claimed' ? carryOut(step, doing) : step;
}

function takeUp(id: string, doing: Doing, sendAgain: Decision | undefined): Step {
  const { journal, clock } = doing;
  journal.recordDeath(id, clock.now());
  const intent = known(journal.get(id));
  switch (intent.state) {
    case 'sending':
      return { is: 'wait', intent, twin: false };
    case 'unknown':
      return resumeOrHold(intent, doing);
    case 'open':
      return takeUpOpen(intent, doing);
    case 'held':
      return sendAgain === undefined ? concluded(intent, doing, false) : takeUpHeld(intent, doing, sendAgain);
    case 'accepted':
    case 'rejected':
    case 'resolved':
      return concluded(intent, doing, 'from-journal');
  }
}

/** Nothing of it has left: it must not slip past an unfinished payment that it may be. */
function takeUpOpen(intent: Intent, doing: Doing): Step {
  const twin = findUnfinishedTwin(intent, doing.journal);
  if (twin === undefined) return resumeOrHold(intent, doing);
  if (isBeingSent(twin, doing.journal)) return { is: 'wait', intent: twin, twin: true };
  return { is: 'refused', because: 'unfinished-twin', intent: twin };
}

/** The operator's word is kept in the same commit that sends it again. */
function takeUpHeld(intent: Intent, { journal, ...doing }: Doing, decision: Decision): Claimed {
  journal.decide(intent.id, decision);
  journal.claim(intent.id, doing.clock.now());
  return claimed(intent.id, { journal, ...doing });
}
