import { type Decision, type Intent, isResolution, type Reads } from '../journal/journal.ts';
import type { Policies } from '../policy/policy.ts';

/** Why it waits for a person’s approval, as the decision of its proposer says. */
export type ApprovalReason = 'proposed' | 'above-limit';

/** Waits for a person's approval. Where nothing of it was sent, a person may decline it, too. */
export function isProposal({ state, heldReason }: Pick<Intent, 'state' | 'heldReason'>): boolean {
  return state === 'held' && heldReason === 'approval';
}

/** A proposal of which no attempt may have landed. */
export function isUnsentProposal(intent: Pick<Intent, 'state' | 'heldReason' | 'tainted'>): boolean {
  return isProposal(intent) && !intent.tainted;
}

/** Who does something: a person on a machine, and on a server the database role, too. */
type Hand = Pick<Decision, 'who' | 'role'>;

/** Roles are compared where there are any: the server itself says who connects, and a person's name is only claimed. */
function isSameHand(one: Hand, other: Hand): boolean {
  if (one.role === undefined && other.role === undefined) return one.who === other.who;
  // A role that is not known may be the same.
  return one.role === undefined || other.role === undefined || one.role === other.role;
}

/** Whether the one who approves must be somebody else than the one who proposed. */
export function needsAnother(policies: Policies | undefined): boolean {
  return policies?.some(({ approvals }) => approvals === 'other') === true;
}

/** Who proposed this body last. */
function proposalOf(decisions: readonly Decision[], fingerprint: string): Decision | undefined {
  return decisions.findLast((one) => one.kind === 'proposed' && one.fingerprint === fingerprint);
}

/** Whose proposal it is, where this hand is not another one, or nobody can say that it is. */
export function ownProposal(
  decisions: readonly Decision[],
  fingerprint: string,
  by: Hand,
): { readonly proposed: Decision | undefined } | undefined {
  const proposed = proposalOf(decisions, fingerprint);
  return proposed === undefined || isSameHand(proposed, by) ? { proposed } : undefined;
}

/** The approval of this body, until it is decided otherwise: the word to send it once more is no other decision. */
export function approvalOn(decisions: readonly Decision[], fingerprint: string): Decision | undefined {
  const last = decisions.findLast(({ kind }) => kind !== 'send-again');
  return last?.kind === 'approved' && last.fingerprint === fingerprint ? last : undefined;
}

/** The decision that ended it. */
export async function lastDecision(
  id: string,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<Decision | undefined> {
  return (await reads.decisionsOf(id)).findLast(({ kind }) => isResolution(kind));
}
