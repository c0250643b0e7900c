import type { Note, SharedLoss } from '../../postgres/facts.ts';
import { counted, isoExact, listed, nounsOf } from './phrases.ts';
import { nothingChanged } from './told.ts';

export function lossAccepted(path: string): string {
  return `The loss is recorded in ${path}, and the journal can be used again.`;
}

/** `what` is plural. */
export function lostNumbers(what: string, count: number, first: number, last: number): string {
  return `${counted(count, ...nounsOf(what))} (${count === 1 ? first : `${first} to ${last}`})`;
}

export function nothingToAccept(place: string): string {
  return `The server of the journal ${place} keeps what it acknowledges, so there is nothing to accept. ${nothingChanged}`;
}

export function acceptedBefore(place: string): string {
  return `This was already accepted for the journal ${place}. ${nothingChanged}`;
}

/** What could be lost, as a sentence without its full stop. */
export function mayLose(place: string, off: readonly string[]): string {
  return `The server of the journal ${place} has ${listed(off)} off, so it may lose what it has acknowledged when its machine stops`;
}

export function durabilityAccepted(place: string, off: readonly string[]): string {
  return `${place} now records that ${listed(off)} may be off. The journal can be used.`;
}

export function backedUp(path: string, intents: number, attempts: number): string {
  return `${path} is a copy of the journal as it is now (${counted(intents, 'entry', 'entries')}, ${counted(attempts, 'request')}). Keep it together with ${path}.mark.`;
}

export function copied(
  path: string,
  place: string,
  { added, known }: Readonly<Record<'added' | 'known', number>>,
): string[] {
  return [
    `${path} was copied into ${place}, and no longer sends anything itself.`,
    `  ${counted(added, 'entry', 'entries')} added`,
    ...(known === 0 ? [] : [`  ${counted(known, 'entry', 'entries')} there already`]),
  ];
}

/** The comment above the SQL, line by line. */
export function grantsHead(use: 'run' | 'look'): string[] {
  return [
    use === 'run'
      ? 'For a role that runs botctl: it adds to the journal, updates entries and deletes nothing.'
      : 'For a role that only reads: it reads everything except the salt and changes nothing.',
    'Run it as the owner of the tables, and again after each journal migrate. The role must already exist.',
  ];
}

export function migrated(place: string, from: number, to: number): string {
  if (from === 0) return `The journal ${place} was created (version ${to}).`;
  if (from < to) return `The journal ${place} was updated from version ${from} to ${to}.`;
  return `The journal ${place} is up to date (version ${to}). ${nothingChanged}`;
}

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
  policy: ['a policy', 'policies'],
};

/** A sentence without its full stop. */
export function hasLost(place: string, loss: SharedLoss): string {
  return `The journal ${place} has lost something: ${sharedLoss(loss)}`;
}

export function missingNote({ what, id, number }: Note): string {
  if (what === 'policy') return `policy ${number}`;
  return `entry ${id}, ${what === 'attempt' ? `request ${number}` : `${what} of ${isoExact(number)}`}`;
}
