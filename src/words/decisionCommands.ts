import type { ApprovalReason } from '../engine/verdict.ts';
import type { Intent } from '../journal/journal.ts';
import type { Suggestion } from './suggestion.ts';

const seen = 'WHAT YOU SAW';
const reason = ['--reason', seen];
const givenUp = 'WHY IT IS GIVEN UP';

/** A suggestion that was pasted as it stands: nobody has looked yet. */
export function isStillToFillIn(text: string): boolean {
  return text === seen || text === givenUp;
}

/** The two decisions about an intent; each keeps what the operator saw. */
export function resolving(id: string): Suggestion[] {
  return [
    ['resolve', id, '--happened', ...reason],
    ['resolve', id, '--did-not-happen', ...reason],
  ];
}

/** What can be done about an intent that only a person can decide. */
export function deciding(id: string): Suggestion[] {
  return [['history', id], ...resolving(id), ['resume', id, '--yes']];
}

/** It is held, and nothing that was sent of it may have happened. */
export function waitsUnsent({ why, tainted }: Pick<Intent, 'why' | 'tainted'>): boolean {
  return isApprovalReason(why) && !tainted;
}

const approvalReasons: Readonly<Record<ApprovalReason, true>> = {
  proposed: true,
  'above-limit': true,
  approval: true,
};

export function isApprovalReason(why: string | undefined): why is ApprovalReason {
  return why !== undefined && Object.hasOwn(approvalReasons, why);
}

/** Nothing of it may have happened: there is nothing to decide but whether it is still wanted. */
export function isUnsent(intent: Pick<Intent, 'state' | 'why' | 'tainted'>): boolean {
  return intent.state === 'open' || waitsUnsent(intent);
}

/** What can be done about an intent that waits for approval. */
export const approving = {
  hint: 'Check the recipient and the amount. Then a person sends it, or gives it up:',
  next: (id: string): Suggestion[] => [['history', id], ['resume', id, '--yes'], ...givingUp(id)],
};

export function givingUp(id: string): Suggestion[] {
  return [['resolve', id, '--did-not-happen', '--reason', givenUp]];
}
