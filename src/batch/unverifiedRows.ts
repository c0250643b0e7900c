import { type WhyMayDiffer, whyMayDiffer } from '../engine/judgement.ts';
import type { Outcome } from '../engine/outcome.ts';

/** The rows of a run of which nothing shows that what was done under their ids is what they say. */
export class UnverifiedRows {
  rows = 0;
  /** Those of them of which something speaks against it. */
  readonly mayDiffer = new Map<WhyMayDiffer, number>();

  note(outcome: Outcome): void {
    if (
      outcome.is !== 'concluded' ||
      outcome.intent.state !== 'accepted' ||
      outcome.attempt?.verified !== false
    )
      return;
    this.rows += 1;
    const why = whyMayDiffer(outcome.intent, outcome.attempt);
    if (why !== undefined) this.mayDiffer.set(why, (this.mayDiffer.get(why) ?? 0) + 1);
  }
}
