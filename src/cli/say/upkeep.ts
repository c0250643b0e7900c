import type { Note, SharedLoss } from '../../postgres/facts.ts';
import { counted, formatCount, isoExact, listed } from './phrases.ts';
import { declined, nothingChanged, Told } from './told.ts';

export function nothingLost(path: string): string {
  return `The journal ${path} holds all that it ever held. ${nothingChanged}`;
}

export function nobodyAccepts(lost: string): Told {
  return new Told('usage', `${lost}. There is no terminal to ask on`, {
    hint: 'Check the wallet and the conversations for what was done last. Then run:',
    next: [['journal', 'accept-loss', '--yes']],
  });
}

export function wouldBeSentAgain(lost: string): string {
  return `${lost}. What is missing may have been sent; after this, the same command would send it again.`;
}

export const askToAccept = 'Accept the loss?';

export function notAccepted(): Told {
  return declined();
}

export function lossAccepted(path: string): string {
  return `The loss is on record in ${path}, and the journal can be used again.`;
}

/** `what` is plural. */
export function lostNumbers(what: string, count: number, first: number, last: number): string {
  return `${counted(count, what.slice(0, -1))} (${count === 1 ? first : `${first} to ${last}`})`;
}

export function logKept(path: string): string {
  return `The log as it was is kept: ${path}`;
}

export function fileIsDurable(path: string): Told {
  return new Told('usage', `The journal ${path} is a file, which botctl itself keeps durable`, {
    hint: 'Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL.',
  });
}

export function nothingToAccept(place: string): string {
  return `The server of the journal ${place} keeps what it acknowledges: there is nothing to accept. ${nothingChanged}`;
}

export function acceptedBefore(place: string): string {
  return `This is accepted already for the journal ${place}. ${nothingChanged}`;
}

/** What could be lost, as a sentence without its full stop. */
export function mayLose(place: string, off: readonly string[]): string {
  return `The server of the journal ${place} has ${listed(off)} off: when its machine stops, it may lose what it has acknowledged`;
}

export function wouldForget(lost: string): string {
  return `${lost}. What is lost may have been sent, and the same command would send it again.`;
}

export const askToAcceptDurability = 'Is that meant, and does its disk make up for it?';

export function nobodyAcceptsDurability(lost: string): Told {
  return new Told('usage', `${lost}. There is no terminal to ask on`, {
    hint: 'Ask whoever runs the server whether that is meant, and whether its disk makes up for it. Then run:',
    next: [['journal', 'accept-durability', '--yes']],
  });
}

export function durabilityAccepted(place: string, off: readonly string[]): string {
  return `It is on record in ${place} that ${listed(off)} may be off. The journal is used all the same.`;
}

export function serverBacksUp(place: string): Told {
  return new Told('usage', `The journal ${place} is on a server, and is backed up with it`, {
    hint: 'Use the server’s own backups (pg_basebackup, or pg_dump of its schema).',
  });
}

export function backedUp(path: string, intents: number, attempts: number): string {
  return `${path} holds the journal as it is now (${counted(intents, 'intent')}, ${counted(attempts, 'attempt')}), with its mark beside it.`;
}

export const backingUp = 'Copying the journal';

export function targetIsFile(path: string): Told {
  return new Told('usage', `The journal ${path} is a file, and a file is copied into a shared journal`, {
    hint: 'Name the shared one, with BOTCTL_JOURNAL or --journal and a postgres:// URL. To copy a file into another file, use journal backup.',
  });
}

export function wouldClose(path: string, count: number, place: string): string {
  return `${counted(count, 'intent')} of ${path} will be copied into ${place}. From then on ${path} sends nothing more: it can only be read.`;
}

export const askToCopy = 'Copy it?';

export function nobodyConfirmsCopy(would: string, path: string): Told {
  return new Told('usage', `${would} There is no terminal to ask on`, {
    hint: 'To do that, run:',
    next: [['journal', 'copy', path, '--yes']],
  });
}

export function copyingNow(done: number, all: number): string {
  return `${formatCount(done)} of ${counted(all, 'intent')} copied`;
}

export function copied(
  path: string,
  place: string,
  { added, known, merged }: Readonly<Record<'added' | 'known' | 'merged', number>>,
): string[] {
  return [
    `${path} was copied into ${place}, and sends nothing more itself.`,
    `  ${counted(added, 'intent')} added`,
    ...(known === 0 ? [] : [`  ${counted(known, 'intent')} there before`]),
    ...(merged === 0 ? [] : [`  ${counted(merged, 'intent')} taken into the same one there`]),
  ];
}

export function tokensLost(count: number): string {
  return `Of the tokens of another machine’s journal nothing can be compared here: ${counted(count, 'transfer')} in doubt ${count === 1 ? 'is' : 'are'} held for a person.`;
}

/** The comment above the SQL, line by line. */
export function grantsHead(use: 'run' | 'look'): string[] {
  return [
    use === 'run'
      ? 'For a role that runs botctl: it adds to the journal, changes what stands, and deletes nothing.'
      : 'For a role that only looks: it reads everything but the salt, and changes nothing.',
    'Run it as whoever owns the tables, and again after each journal migrate. The role must be there already.',
  ];
}

export function fileNeedsNoGrants(path: string): Told {
  return new Told('usage', `The journal ${path} is a file, which belongs to you alone`, {
    hint: 'Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL: its schema stands in the SQL.',
  });
}

export function fileMigratesItself(path: string): Told {
  return new Told(
    'usage',
    `The journal ${path} is a file, which every command that sends brings up to date by itself`,
    { hint: 'Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL.' },
  );
}

export function migrated(place: string, from: number, to: number): string {
  if (from === 0) return `The journal ${place} was made (version ${to}).`;
  if (from < to) return `The journal ${place} was brought from version ${from} to ${to}.`;
  return `The journal ${place} is up to date (version ${to}). ${nothingChanged}`;
}

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
