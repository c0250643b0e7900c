import type { PlanKind } from '../../once/engine/planKinds.ts';
import { type Told, told } from './told.ts';

/** For a dry run: whether it is a re-run, and of what. */
export const dryRunWords: Readonly<Record<PlanKind, string>> = {
  new: 'no: it would be new',
  'new-after-done': 'no: the same was done before, and it would be done again',
  'leave-behind': 'no: an old one was never settled, and this would be a new one',
  again: 'yes: it did not happen before',
  resume: 'yes: the stored request would be sent again',
  replay: 'yes: it is done; it would only be shown again',
  wait: 'yes: another process is sending it now',
  'needs-decision': 'yes: it is held; nothing would be sent',
  declined: 'yes: a person declined it; nothing would be sent',
  'reported-ahead':
    'it would not be sent: it was done at a time that is still in the future by this machine’s clock',
  'other-body': 'it would not be sent: the name is taken by a different amount, recipient or text',
  'other-bot': 'it would not be sent: the name is taken by another bot',
  'other-url': 'it would not be sent: the name was used at another base URL of this service',
  'unknown-at-other-url':
    'it would not be sent: the same name is unknown at another base URL of this service',
  'held-at-other-url': 'it would not be sent: the same name is held at another base URL of this service',
  'wait-for-twin': 'the same payment is being sent by another process; it would wait',
  'unfinished-twin': 'it would not be sent: the same payment, under another name, is not settled',
  'recently-done': 'it would not be sent: the same payment was made a while ago, and may be this one',
};

export function noCompletionFor(shell: string, shells: readonly string[]): Told {
  return told('usage')`There is no completion for "${shell}".
    Available: ${shells.join(', ')}.`;
}
