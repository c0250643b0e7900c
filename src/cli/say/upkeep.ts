import type { Note, SharedLoss } from '../../postgres/facts.ts';
import { listed } from './phrases.ts';

// `place` is always the journal's URL without its password.

/** A sentence without its full stop. */
export function sharedLoss(loss: SharedLoss): string {
  if (loss.is === 'server-changed')
    return 'the journal is on a different server, or on one that was promoted or restored, and this machine cannot tell whether anything is missing';
  const { missing } = loss;
  const kinds = Object.entries(noted).flatMap(([what, [one, several]]) => {
    const { length } = missing.filter((note) => note.what === what);
    if (length === 0) return [];
    return length > 1 ? `${length} ${several}` : one;
  });
  const verb = missing.length === 1 ? 'is' : 'are';
  return `${listed(kinds)} that the journal acknowledged to this machine ${verb} no longer in it`;
}

const noted: Readonly<Record<Note['what'], readonly [one: string, several: string]>> = {
  attempt: ['a request', 'requests'],
  decision: ['a decision', 'decisions'],
  observation: ['an observation', 'observations'],
};

/** A sentence without its full stop. */
export function hasLost(place: string, loss: SharedLoss): string {
  return `The journal ${place} has lost something: ${sharedLoss(loss)}`;
}
