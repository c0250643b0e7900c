import { type Explained, explain } from '../../src/cli/wording/explain.ts';
import { type Outcome, outcomeToTell } from '../../src/once/engine/outcome.ts';
import { type Exit, exitOf } from '../../src/once/failures.ts';

/** An outcome as a command reports it. */
export function explained(outcome: Outcome, nowMs: number): Explained & { readonly exit: Exit } {
  const explanation = explain(outcomeToTell(outcome), nowMs);
  return { ...explanation, exit: explanation.problem === undefined ? 0 : exitOf(explanation.problem.code) };
}
