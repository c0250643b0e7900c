import { endingOf } from '../src/engine/ending.ts';
import type { Outcome } from '../src/engine/outcome.ts';
import { type Explanation, explain } from '../src/words/explain.ts';

/** An outcome, as a command tells it. */
export function explained(outcome: Outcome, nowMs: number): Promise<Explanation> {
  return explain(endingOf(outcome), nowMs);
}
