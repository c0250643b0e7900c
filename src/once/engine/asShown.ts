import type { Entry, Reads } from '../journal/journal.ts';
import { engineFailure } from './failures.ts';
import { mustFind } from './outcome.ts';

/** An entry as a person saw it before deciding about it. */
export type EntryAsShown = {
  readonly entry: Entry;
  /** How many decisions it has. No decision is ever removed, so the number only grows. */
  readonly decisions: number;
};

type Looking = Pick<Reads, 'get' | 'decisionsOf'>;

export async function shownNow(id: string, reads: Looking): Promise<EntryAsShown> {
  // Counted first, so that a decision made between the two reads is noticed as a change.
  const { length: decisions } = await reads.decisionsOf(id);
  return { entry: mustFind(await reads.get(id)), decisions };
}

/** Refuses a decision if the entry is no longer as it was shown. Call this within the commit that decides. */
export async function refuseChanged(asShown: EntryAsShown, { id }: Entry, tx: Looking): Promise<void> {
  if (factsOf(asShown) !== factsOf(await shownNow(id, tx)))
    throw engineFailure('changed-since-shown', { id });
}

function factsOf({ entry, decisions }: EntryAsShown): string {
  const { fingerprint, state, ownerLives, attempts } = entry;
  // A `sending` entry whose process is dead counts as `unknown`: the commit that decides records it so.
  const standing = state === 'sending' && !ownerLives ? 'unknown' : state;
  return [fingerprint, standing, attempts, decisions].join(' ');
}
