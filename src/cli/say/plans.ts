import type { PlanKind } from '../../once/engine/planKinds.ts';
import { type Failure, told } from '../../once/failures.ts';

/** For a dry run: whether it is a re-run, and of what. */
export const dryRunWords: Readonly<Record<PlanKind, string>> = {
  'name-taken': 'it would not be sent: the name is taken by another bot',
  wait: 'yes: another process is sending it now',
  hold: 'yes: it may have happened; it would be held for a decision, and nothing would be sent',
  retry: 'yes: the stored request would be sent again',
  'needs-decision': 'yes: it is held; nothing would be sent',
  'already-done': 'yes: it is done; it would only be shown again',
  'send-same-key': 'yes: it did not happen before, and would be sent under the same key',
  'new-entry': 'no: it would be new',
};

export function noCompletionFor(shell: string, shells: readonly string[]): Failure {
  return told('usage')`There is no completion for "${shell}".
    Available: ${shells.join(', ')}.`;
}
