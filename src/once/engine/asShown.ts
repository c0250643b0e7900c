import type { Entry, Reads } from '../journal/journal.ts';
import { engineFailure } from './failures.ts';
import { mustFind } from './outcome.ts';

/** An entry as it is shown to who decides about it. */
export type EntryAsShown = {
  readonly entry: Entry;
  /** How many decisions there are: none is ever taken back. */
  readonly decisions: number;
};

type Looking = Pick<Reads, 'get' | 'decisionsOf'>;

export async function shownNow(id: string, reads: Looking): Promise<EntryAsShown> {
  // Counted first: what is decided between the two is then noticed as a change.
  const { length: decisions } = await reads.decisionsOf(id);
  return { entry: mustFind(await reads.get(id)), decisions };
}

/** A decision is about what was shown. To be asked within the commit that decides. */
export async function refuseChanged(asShown: EntryAsShown, { id }: Entry, tx: Looking): Promise<void> {
  if (factsOf(asShown) !== factsOf(await shownNow(id, tx)))
    throw engineFailure('changed-since-shown', { id });
}

function factsOf({ entry, decisions }: EntryAsShown): string {
  const { fingerprint, state, ownerLives, attempts } = entry;
  // That its process is dead was shown, too, and the same commit records it.
  const standing = state === 'sending' && !ownerLives ? 'unknown' : state;
  return [fingerprint, standing, attempts, decisions].join(' ');
}
