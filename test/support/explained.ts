import { type Explanation, explain } from '../../src/cli/say/explain.ts';
import { endingOf, type Outcome } from '../../src/once/engine/outcome.ts';

/** An outcome as a command reports it. */
export function explained(outcome: Outcome, nowMs: number): Explanation {
  return explain(endingOf(outcome), nowMs);
}
