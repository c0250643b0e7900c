import { basename } from 'node:path';
import type { JournalFacts, Loss } from '../../once/journal/facts.ts';
import { beforeAccepting, missingMayBeSent } from './open.ts';
import { counted, formatCount, listed, troubleInWords } from './phrases.ts';
import { type Sentence, says, type Table } from './told.ts';

/** What is at a journal's path, if it is not a regular file. */
const noFiles: Readonly<Record<JournalFacts['not-a-file']['is'], string>> = {
  folder: 'a folder',
  device: 'a device',
  other: 'not a regular file',
};

/** The sentences for a journal in a file. */
export const journalTable: Table<JournalFacts> = {
  busy: ({ path }) => says`The journal ${path} is kept busy by other processes
    Run the same command again in a moment.`,
  damaged: ({ path, aside }) => ({
    message: `The journal ${path} is damaged or is not a journal. It was left unchanged`,
    hint: 'Move it aside and put a backup in its place before you send anything: with a new journal, the same command may send again. Without a backup, check by hand what was sent last.',
    next: aside.length === 0 ? [] : [{ shell: aside.map(({ from, to }) => ['mv', from, to]) }],
  }),
  'other-version': ({ path, version, known }) =>
    otherVersion(
      `The journal ${path}`,
      version,
      known,
      'Use the botctl that made it, or another journal with --journal.',
    ),
  'schema-changed': ({
    path,
  }) => says`The journal ${path} was changed by hand: its tables or rules are not as botctl made them
    ${putBackParts}`,
  'not-a-file': ({ path, is }) => says`The journal ${path} is ${noFiles[is]}. It was left unchanged
    Name a file of its own with --journal.`,
  'hard-linked': ({ path }) => says`
    The journal ${path} has a second name (a hard link), and each name would have its own log. It was left unchanged
    Remove one of the names.`,
  lost: ({ path, loss }) => {
    const name = basename(path);
    const lost = `${lossSentence(path, loss)}.`;
    return {
      lost,
      message: `${lost} ${missingMayBeSent}. The journal was left unchanged`,
      hint: `If you have ${name} and ${name}-wal as they last were, put both back. If not, ${beforeAccepting}`,
      next: [['journal', 'accept-loss']],
    };
  },
  moved: ({ path, place }) => ({
    message: `The journal ${path} was copied into ${place}, and no longer sends anything itself`,
    hint: 'Name that journal with BOTCTL_JOURNAL or --journal. This one can still be read.',
  }),
  'taken-away': ({ path, how }) => says`
    The journal was removed while it was in use: ${path} ${how === 'gone' ? 'is gone' : 'was replaced by another file'}.
    Put the file back, with its -wal beside it, then run the same command again.`,
  'no-journal': ({ path }) => says`There is no journal ${path}
    Name the right one with --journal or BOTCTL_JOURNAL.`,
  'not-writable': ({ path, trouble }) => says`
    The journal ${path} cannot be written: ${troubleInWords(trouble)}
    Free some space, or fix the folder’s permissions.`,
  'note-not-writable': ({ note, trouble }) => says`
    The file ${note} beside the journal cannot be written: ${troubleInWords(trouble)}
    Fix the problem named above, then run the same command again.`,
  'no-locks': ({ folder }) => says`botctl cannot lock files in ${folder}
    Keep the journal on a disk that supports locks: name its file with --journal.`,
  'no-shared-memory': ({ path }) => says`The journal ${path} is on a file system without shared memory
    Put it on a local disk with --journal or BOTCTL_JOURNAL.`,
  'not-durable': () => says`SQLite refuses to write the journal durably
    Report this, with the output of the doctor:
    $ doctor`,
  'set-up-unfinished': ({ path }) => says`Another process has been setting up the journal ${path} for too long
    End that process and run the same command again.`,
  'backup-there': ({ path }) => says`${path} is there already
    Name a new file.`,
  'backup-not-made': ({ path, trouble }) => says`
    The backup ${path} cannot be written: ${troubleInWords(trouble)}
    Free some space, or name a file in a folder that you may write to.`,
  'owners-alive': ({ path, count }) => says`
    ${counted(count, 'process', 'processes')} may be sending through the journal ${path} now
    Let them end, or end them. Then run the same command again.`,
  unfinished: ({ path, shown, count }) => says`
    ${counted(count, 'entry', 'entries')} of ${path} ${count === 1 ? 'is' : 'are'} unfinished: ${listed([...shown, ...(count > shown.length ? [`${formatCount(count - shown.length)} more`] : [])])}
    Resume, resolve, approve or decline each of them there. Then run the same command again. This shows the first:
    $ history ${shown[0] ?? ''} --journal ${path}`,
};

const putBackParts =
  'Nothing is sent with it as it is. Put it back as it was, or replace the journal with a backup.';

/** `journal` is the subject of the sentence. An empty journal in its place is not suggested: it would send again. */
export function otherVersion(journal: string, version: number, known: number, hint: string): Sentence {
  return {
    message: `${journal} was made by another botctl (journal version ${version}; this one knows ${known}). It was left unchanged`,
    hint,
  };
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
