import { Failure } from '../errors.ts';
import type { Decision, Intent, Journal } from '../journal/journal.ts';
import { known } from './claim.ts';
import { isBeingSent } from './plan.ts';

/** An operator's word on whether it happened; refused where the journal itself has the proof. */
export function decideOutcome(id: string, decision: Decision, journal: Journal): Intent {
  return journal.atomically(() => {
    journal.recordDeath(id, decision.atMs);
    const intent = known(journal.get(id));
    refuseWhatIsProven(intent, journal);
    journal.decide(id, decision);
    return journal.get(id) ?? intent;
  });
}

function refuseWhatIsProven(intent: Intent, journal: Journal): void {
  const { id, state } = intent;
  if (isBeingSent(intent, journal)) {
    throw new Failure('not-allowed-now', `A living process is sending intent ${id}; nothing was decided.`, {
      hint: 'Wait until it has ended, or end it; then decide.',
    });
  }
  if (state === 'accepted' || state === 'rejected') {
    const proof = state === 'accepted' ? 'it happened' : 'it did not happen';
    throw new Failure(
      'not-allowed-now',
      `Intent ${id} is ${state}: the service’s own reply shows that ${proof}. Nothing was decided.`,
      {
        hint: `See its attempts: botctl history ${id}.`,
      },
    );
  }
}
