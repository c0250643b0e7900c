import type { SharedLoss } from '../journal/postgres/facts.ts';
import type { Note } from '../journal/postgres/note.ts';
import { listed } from './list.ts';
import { nothingChanged } from './nothing.ts';
import { isoExact } from './time.ts';

// `place` is always the journal's URL without its password.

/** A sentence without its full stop. */
export function sharedLoss(loss: SharedLoss): string {
  if (loss.is === 'server-changed')
    return 'the journal is on another server than before, or on one that was promoted or restored, and this machine cannot tell whether anything is missing';
  const { missing } = loss;
  const kinds = Object.entries(noted).flatMap(([what, plural]) => {
    const { length } = missing.filter((note) => note.what === what);
    if (length === 0) return [];
    return length > 1 ? `${length} ${plural}` : `${/^[ao]/u.test(what) ? 'an' : 'a'} ${what}`;
  });
  const verb = missing.length === 1 ? 'is' : 'are';
  return `${listed(kinds)} that the journal acknowledged to this machine ${verb} not in it any more`;
}

const noted: Readonly<Record<Note['what'], string>> = {
  attempt: 'attempts',
  decision: 'decisions',
  observation: 'observations',
  policy: 'policies',
};

/** A sentence without its full stop. */
export function hasLost(place: string, loss: SharedLoss): string {
  return `The journal ${place} has lost something: ${sharedLoss(loss)}`;
}

export function missingNote({ what, id, number }: Note): string {
  if (what === 'policy') return `policy ${number}`;
  return `intent ${id}, ${what} ${what === 'attempt' ? number : `of ${isoExact(number)}`}`;
}

export function nothingMissing(place: string): string {
  return `The journal ${place} holds all that it acknowledged to this machine. ${nothingChanged}`;
}
