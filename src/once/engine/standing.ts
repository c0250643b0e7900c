import type { Entry } from '../journal/journal.ts';

// What an entry is, by its own columns alone.

export type Stands = Pick<Entry, 'state' | 'heldReason' | 'resolvedAs' | 'approved' | 'ownerLives'>;

/** It happened. */
export function isDone({ state, resolvedAs }: Pick<Stands, 'state' | 'resolvedAs'>): boolean {
  return state === 'accepted' || resolvedAs === 'happened';
}

/** It was not sent, because another entry had paid it: only that one counts in the books. */
export function isPaidByAnother({
  resolvedAs,
  wasInDoubt: inDoubt,
}: Pick<Entry, 'resolvedAs' | 'wasInDoubt'>): boolean {
  return resolvedAs === 'happened' && !inDoubt;
}

/** It has ended. Its command may begin it again only if it was rejected, or resolved as not happened. */
export function isOver({ state }: Pick<Stands, 'state'>): boolean {
  return state === 'accepted' || state === 'rejected' || state === 'resolved' || state === 'declined';
}

/** A living process is sending it. */
export function isBeingSent({ state, ownerLives }: Pick<Stands, 'state' | 'ownerLives'>): boolean {
  return state === 'sending' && ownerLives;
}

/** An attempt may have taken effect, and nobody has to decide about it yet. */
export function mayHaveTakenEffect(entry: Pick<Stands, 'state'> | undefined): boolean {
  return entry?.state === 'unknown' || entry?.state === 'sending';
}

/** An attempt may have taken effect, whether or not a person must decide about it. */
export function isInDoubt(entry: Pick<Stands, 'state' | 'heldReason'>): boolean {
  return mayHaveTakenEffect(entry) || (entry.state === 'held' && !isProposal(entry));
}

/** It waits for a person's approval, and is not in doubt. */
export function isProposal({ state, heldReason }: Pick<Stands, 'state' | 'heldReason'>): boolean {
  return state === 'held' && heldReason === 'approval';
}

/** A person approved it, and it is not sent yet. */
export function isApprovedAndUnsent({ state, approved }: Pick<Stands, 'state' | 'approved'>): boolean {
  return state === 'open' && approved;
}

/** It cannot have taken effect, so the only question is whether it is still wanted. */
export function isUnsent(entry: Pick<Stands, 'state' | 'heldReason'>): boolean {
  return entry.state === 'open' || isProposal(entry) || entry.state === 'declined';
}

/** It may have happened, or may still happen. */
export function isUnsettled(entry: Pick<Stands, 'state' | 'approved'>): boolean {
  return mayHaveTakenEffect(entry) || entry.state === 'held' || isApprovedAndUnsent(entry);
}
