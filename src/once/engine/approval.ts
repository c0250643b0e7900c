import { type Decision, type Intent, isResolution, type Reads } from '../journal/journal.ts';
import type { Policies } from '../policy/policy.ts';

/** Why it waits for a person’s approval, as the decision of its proposer says. */
export type ApprovalReason = 'proposed' | 'above-limit';

/** It waits for a person's approval, and is not in doubt. */
export function isProposal({ state, heldReason }: Pick<Intent, 'state' | 'heldReason'>): boolean {
  return state === 'held' && heldReason === 'approval';
}

/** A person approved it, and it is not sent yet. */
export function isApprovedAndUnsent({ state, approved }: Pick<Intent, 'state' | 'approved'>): boolean {
  return state === 'open' && approved;
}

/** Whether the one who approves must be somebody else than the one who proposed. */
export function needsAnother(policies: Policies): boolean {
  return policies.some(({ approvals }) => approvals === 'other');
}

/** Whether another database role approved it than the one that proposed it. A person's name is only claimed. */
export function isApprovedByAnother(decisions: readonly Decision[]): boolean {
  const proposed = decisions.find(({ kind }) => kind === 'proposed')?.role;
  const approved = decisions.findLast(({ kind }) => kind === 'approved')?.role;
  return proposed !== undefined && approved !== undefined && proposed !== approved;
}

/** The decision that ended it. */
export async function lastDecision(
  id: string,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<Decision | undefined> {
  return (await reads.decisionsOf(id)).findLast(({ kind }) => isResolution(kind) || kind === 'declined');
}
