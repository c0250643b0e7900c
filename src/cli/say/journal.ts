import { basename } from 'node:path';
import type { JournalFacts, LostRows, SchemaPart } from '../../once/journal/facts.ts';
import { beforeAccepting, damaged, madeBeforeRelease, missingMayBeSent } from './open.ts';
import { counted, formatCount, listed, nounsOf, troubleInWords } from './phrases.ts';
import { says, type Table } from './told.ts';

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
  'salt-changed': () => damaged('its salt has changed'),
  dumped: ({ path }) => says`
    The journal ${path} is a copy made with .dump, which leaves out what makes it a journal. It was left unchanged
    Copy the journal with .backup or VACUUM INTO instead: sqlite3 journal.db ".backup copy.db".`,
  newer: ({ path, version, known }) => says`
    The journal ${path} was written by a newer botctl (journal version ${version}; this one knows ${known}). It was left unchanged
    Use the newer botctl, or another journal with --journal.`,
  unreleased: ({ path }) => madeBeforeRelease(`The journal ${path}`),
  'schema-changed': ({ path, lacks }) => says`${schemaChanged(`The journal ${path}`, lacks)}
    ${putBackParts}`,
  'not-a-file': ({ path, is }) => says`The journal ${path} is ${noFiles[is]}. It was left unchanged
    Name a file of its own with --journal.`,
  'hard-linked': ({ path }) => says`
    The journal ${path} has a second name (a hard link), and each name would have its own log. It was left unchanged
    Remove one of the names.`,
  'mounted-alone': ({ path }) => says`
    The journal ${path} is mounted alone, without the files that belong beside it. It was left unchanged
    Mount its folder instead of the file.`,
  lost: (facts) => {
    const name = basename(facts.path);
    const lost = `${lossSentence(facts)}.`;
    return {
      lost,
      message: `${lost} ${missingMayBeSent}. The journal was left unchanged`,
      hint: `If you have ${name}, ${name}-wal and ${name}.mark from the same moment, put all three back. If not, ${beforeAccepting}`,
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
  'mark-not-writable': ({ mark, trouble }) => says`
    The file ${mark} beside the journal cannot be written: ${troubleInWords(trouble)}
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
};

const shownParts = 3;

export function schemaChanged(journal: string, lacks: readonly SchemaPart[]): string {
  const parts = lacks.slice(0, shownParts).map(({ is, name }) => `the ${is} ${name}`);
  const names = listed([...parts, ...more(lacks.length - parts.length)]);
  return `${journal} was changed by hand: ${names} ${lacks.length === 1 ? 'is' : 'are'} missing, switched off or changed`;
}

export const putBackParts =
  'Nothing is sent without it. Put it back as it was, or replace the journal with a backup.';

function more(count: number): string[] {
  return count > 0 ? [`${formatCount(count)} more`] : [];
}

/** What a journal's file has lost, as a sentence without its full stop. */
export function lossSentence({ path, loss }: JournalFacts['lost']): string {
  switch (loss.is) {
    case 'rows':
      return `The journal ${path} has lost ${listed(loss.rows.map(countedLoss))} that it once had`;
    case 'mark':
      return `The journal ${path} may have lost something: the file ${path}.mark beside it is ${marks[loss.found]}`;
    case 'base':
      return `The journal ${path} is older than the log ${path}-wal beside it and does not have what was done in between`;
    case 'journal': {
      const held = loss.rows.length === 0 ? '' : `; that journal had ${listed(loss.rows.map(countedLoss))}`;
      return loss.found === 'gone'
        ? `The journal ${path} is gone or empty, but the files that belong beside it are still there${held}`
        : `The journal ${path} is older than the file ${path}.mark beside it${held}`;
    }
  }
}

const marks = { missing: 'missing', damaged: 'damaged', anothers: 'from another journal' } as const;

function countedLoss({ what, first, last }: LostRows): string {
  return counted(last - first + 1, ...nounsOf(what));
}
