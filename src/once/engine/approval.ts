import { type Decision, type Entry, isResolution, type Reads } from '../journal/journal.ts';

/** Why it waits for a person’s approval, as the decision of its proposer says. */
export type ApprovalReason = 'proposed' | 'above-limit';

/** It waits for a person's approval, and is not in doubt. */
export function isProposal({ state, heldReason }: Pick<Entry, 'state' | 'heldReason'>): boolean {
  return state === 'held' && heldReason === 'approval';
}

/** A person approved it, and it is not sent yet. */
export function isApprovedAndUnsent({ state, approved }: Pick<Entry, 'state' | 'approved'>): boolean {
  return state === 'open' && approved;
}

/** It may have happened, or may yet. */
export function isUnsettled(entry: Pick<Entry, 'state' | 'approved'>): boolean {
  const { state } = entry;
  return state === 'sending' || state === 'unknown' || state === 'held' || isApprovedAndUnsent(entry);
}

/** The decision that ended it. */
export async function lastDecision(
  id: string,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<Decision | undefined> {
  return (await reads.decisionsOf(id)).findLast(({ kind }) => isResolution(kind) || kind === 'declined');
}
