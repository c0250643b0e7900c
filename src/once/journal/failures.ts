import { basename } from 'node:path';
import type { DiskTrouble } from '../../machine/disk.ts';
import { Failure, type FieldsOf, failing, failureWith, interrupted } from '../failures.ts';
import { counted, formatCount, iso, listed, mending, troubleInWords } from '../phrases.ts';
import type { Closing } from './journal.ts';
import type { Known } from './note.ts';

/** What a journal is known to have lost: attempts and decisions, or everything if its file is gone or empty. */
export type Loss = { readonly isGone: boolean; readonly missing: readonly Known[] };

export type Move = { readonly from: string; readonly to: string };

/** What is at a journal's path, if it is not a regular file. */
const noFiles = {
  folder: 'a folder',
  link: 'a symbolic link',
  other: 'not a regular file',
} as const;

export type NotAFile = keyof typeof noFiles;

const removeLink = 'Nothing is written through a link beside a journal: remove it.';

type AtPath = { path: string };
type OfNote = { note: string; trouble: DiskTrouble };
type Unfinished = AtPath & { firstIds: readonly string[]; count: number };
export type TakenAway = AtPath & { how: 'gone' | 'replaced' };

/** The failures of a journal in a file. */
const kinds = {
  busy: ({ path }: AtPath) => failureWith('journal-busy')`The journal ${path} is kept busy by other processes
    Run the same command again in a moment.`,
  interrupted: () => interrupted('while the journal was being read'),
  damaged: ({ path, moves }: AtPath & { moves: readonly Move[] }) => {
    const next = moves.length === 0 ? [] : [{ shell: moves.map(({ from, to }) => ['mv', from, to]) }];
    return failureWith('journal-damaged', { next })`
      The journal ${path} is damaged or is not a journal. It was left unchanged
      Move it aside and put a backup in its place before you send anything: with a new journal, the same command may send again. Without a backup, check by hand what was sent last.`;
  },
  'other-version': ({ path, ...versions }: AtPath & Edition) =>
    otherVersion(
      `The journal ${path}`,
      versions,
      versions.version < versions.known
        ? 'Run any command as a user who may write the file and its folder: that brings it up to date.'
        : 'Use the botctl that made it, or another journal with --journal.',
    ),
  'schema-changed': ({ path }: AtPath) => failureWith('journal-schema')`
    The journal ${path} was changed by hand: its tables or rules are not as botctl made them
    Nothing is sent with it as it is. Put it back as it was, or replace the journal with a backup.`,
  'not-a-file': ({ path, is }: AtPath & { is: NotAFile }) => failureWith('journal-unusable')`
    The journal ${path} is ${noFiles[is]}. It was left unchanged
    ${is === 'link' ? removeLink : 'Name a file of its own with --journal.'}`,
  'hard-linked': ({ path }: AtPath) => failureWith('journal-unusable')`
    The journal ${path} has a second name (a hard link), and each name would have its own log. It was left unchanged
    Remove one of the names.`,
  /** It lacks something that it acknowledged to this machine. */
  lost: ({ path, loss }: AtPath & { loss: Loss }) => {
    const name = basename(path);
    return failureWith('journal-lost', { next: acceptingLoss })`
      ${lossSentence(path, loss)}. ${missingMayBeSent}. The journal was left unchanged
      If you have ${name} and ${name}-wal as they last were, put both back. If not, ${beforeAccepting}`;
  },
  moved: ({ path, place }: AtPath & { place: string }) => failureWith('journal-moved')`
    The journal ${path} was copied into ${place}, and no longer sends anything itself
    Name that journal with BOTCTL_JOURNAL or --journal. This one can still be read.`,
  closed: ({ path, why, isBackup }: AtPath & { why: readonly string[]; isBackup: boolean }) =>
    failureWith('journal-closed', {
      next: isBackup ? acceptingLoss : [{ decides: ['journal', 'open'], looks: ['doctor'] }],
    })`
    The journal ${path} is closed for sending: ${why.join('; ')}
    ${isBackup ? 'Check the wallet and the conversations for what was sent since then: the same command may send that again. To use this journal all the same, accept the loss.' : 'Look at who closed it, and why.'}`,
  'in-use': ({ path }: AtPath) => failureWith('journal-busy')`
    The journal ${path} must be brought up to date, and another process has it open
    Wait for that process to end, or end it. Then run the same command again: a newer botctl cannot use the journal while an older one has it open.`,
  /** One of its files disappeared or was replaced while the journal was open. */
  'taken-away': ({ path, how }: TakenAway) => failureWith('journal-gone')`
    The journal was removed while it was in use: ${path} ${how === 'gone' ? 'is gone' : 'was replaced by another file'}.
    Put the file back, with its -wal beside it, then run the same command again.`,
  /** The text is not repeated, because it may contain a password. */
  'no-file-name': ({ source }: { source: string }) => failureWith(
    'usage',
  )`${source} is not the whole path of a file
    For a file, write its whole path, without quotes or invisible characters; on the command line, it may also begin with ./, ../ or ~/. For a server, write its URL, like postgres://bots@db.example.com/ledger.`,
  'empty-name': ({ source }: { source: string }) => {
    const unset = source === 'BOTCTL_JOURNAL' ? ' To use the journal of this user, unset it.' : '';
    return failureWith('usage')`${source} is empty
      Give it the whole path of a file, or a postgres:// URL.${unset}`;
  },
  'no-journal': ({ path }: AtPath) => failureWith('no-such-journal')`There is no journal ${path}
    Name the right one with --journal or BOTCTL_JOURNAL.`,
  'not-writable': ({ path, trouble }: AtPath & { trouble: DiskTrouble }) => failureWith(
    'journal-not-writable',
  )`
    The journal ${path} cannot be written: ${troubleInWords(trouble)}
    ${mending(trouble)}, then run the same command again.`,
  /** The commit succeeded, so the caller must not retry it in this run. */
  'note-not-writable': ({ note, trouble }: OfNote) => failureWith('journal-not-writable')`
    The file ${note} beside the journal cannot be written: ${troubleInWords(trouble)}
    Fix the problem named above, then run the same command again.`,
  'no-local-disk': ({ path }: AtPath) => failureWith('journal-not-writable')`
    The file system of ${path} cannot lock files or share memory
    Put the journal on a local disk: name its file with --journal or BOTCTL_JOURNAL.`,
  'not-durable': () => failureWith('journal-not-writable')`SQLite refuses to write the journal durably
    Report this, with the output of the doctor:
    $ doctor`,
  'backup-there': ({ path }: AtPath) => failureWith('usage')`${path} is there already
    Name a new file.`,
  'backup-not-made': ({ path, trouble }: AtPath & { trouble: DiskTrouble }) => failureWith('machine-fault')`
    The backup ${path} cannot be written: ${troubleInWords(trouble)}
    ${mending(trouble, 'Name a file in a folder that you may write to')}.`,
  'owners-alive': ({ path, count }: AtPath & { count: number }) => failureWith('not-allowed-now')`
    ${counted(count, 'process', 'processes')} may be sending through the journal ${path} now
    Wait for them to end, or end them. Then run the same command again.`,
  unfinished: ({ path, firstIds, count }: Unfinished) => failureWith('not-allowed-now')`
    ${counted(count, 'entry', 'entries')} of ${path} ${count === 1 ? 'is' : 'are'} unfinished: ${listed([...firstIds, ...(count > firstIds.length ? [`${formatCount(count - firstIds.length)} more`] : [])])}
    Resume, resolve, approve or decline each of them there. Then run the same command again. This shows the first:
    $ history ${firstIds[0] ?? ''} --journal ${path}`,
};

export const journalFailure = failing('journal', kinds);

/** The failure of a command that would begin an attempt, if the journal is closed. */
export function whyClosed(path: string, closings: readonly Closing[]): Failure | undefined {
  const moved = closings.find(({ kind }) => kind === 'moved');
  if (moved !== undefined) return journalFailure('moved', { path, place: moved.reason });
  if (closings.length === 0) return undefined;
  const why = closings.map(({ kind, who, atMs, reason }) =>
    kind === 'backup' ? `it is ${reason}` : `${who} closed it at ${iso(atMs)}${reason && `: ${reason}`}`,
  );
  return journalFailure('closed', { path, why, isBackup: closings.some(({ kind }) => kind === 'backup') });
}

/** How many closings ended, and why the journal is still closed, if it is. */
export type Opened = { readonly place: string; readonly ended: number; readonly stays: Failure | undefined };

/** The fields of a thrown failure, if it is of this kind. */
export function factsOf<K extends keyof typeof kinds>(
  thrown: unknown,
  kind: K,
): FieldsOf<(typeof kinds)[K]> | undefined {
  const isIt = thrown instanceof Failure && thrown.room === 'journal' && thrown.kind === kind;
  return isIt ? (thrown.fields as FieldsOf<(typeof kinds)[K]>) : undefined;
}

export const missingMayBeSent = 'What is missing may have been sent';

export const acceptingLoss = [{ decides: ['journal', 'accept-loss'], looks: ['doctor'] }];

/** What a person must check before accepting a loss. */
export const beforeAccepting =
  'check the wallet and the conversations for what was sent last. After you accept the loss, the same command may send that again:';

export type Edition = { version: number; known: number };

/** `journal` is the subject of the sentence. An empty journal in its place is not suggested: it would send again. */
export function otherVersion(journal: string, { version, known }: Edition, hint: string): Failure {
  return failureWith('journal-schema')`
    ${journal} has the journal version ${version}, and this botctl needs version ${known}. It was left unchanged
    ${hint}`;
}

/** What a journal has lost, as a sentence without its full stop. */
export function lossSentence(place: string, { isGone, missing }: Loss): string {
  const known = counted(missing.length, 'request or decision', 'requests and decisions');
  if (isGone) {
    const held = missing.length === 0 ? '' : `; it had at least ${known}`;
    return `The journal ${place} is gone, empty or replaced by another${held}`;
  }
  return `The journal ${place} has lost ${known} that it acknowledged to this machine, and perhaps more`;
}

/** Damage on the disk that the database itself does not notice. */
export function damagedJournal(what: string): Failure {
  return failureWith('journal-damaged')`The journal is damaged: ${what}
    Keep a copy of it, and replace it with a backup. The doctor says which file it is:
    $ doctor`;
}
