import { sentence } from './nothing.ts';
import type { Suggestion } from './suggestion.ts';
import { type Sentence, Told } from './told.ts';

const nameAnother = 'or name another file with --journal';

export function journalBusy(path: string, cause: unknown): Told {
  return new Told('journal-busy', `The journal ${path} is kept busy by other processes`, {
    hint: 'Run the same command again in a moment.',
    cause,
  });
}

/** `keepingAside` moves what is there out of the way. */
export function journalDamaged(path: string, keepingAside: readonly Suggestion[], cause?: unknown): Told {
  const message = `The journal ${path} is damaged or is not a journal. It was left as it is`;
  return new Told('journal-damaged', message, {
    hint: 'Keep it, and put a backup in its place. Without a backup, check by hand what was last sent: a new journal knows nothing of it.',
    next: keepingAside,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** What a journal holds was damaged on its disk, and not so that SQLite would see it. */
export function damaged(what: string): Sentence {
  return {
    message: sentence(`The journal is damaged: ${what}`),
    hint: 'Keep a copy of it and put a backup in its place. The doctor says which file it is.',
    next: [['doctor']],
  };
}

export function damage(what: string): Told {
  const { message, ...details } = damaged(what);
  return new Told('journal-damaged', message, details);
}

export const lostSalt = 'its salt is not what it was';
export const unreadableBody = 'the body of an intent cannot be read';

export function journalNotWritable(path: string, trouble: string, cause: unknown): Told {
  const message = `The journal ${path} cannot be written: ${trouble}`;
  return new Told('journal-not-writable', message, {
    hint: `Make room, fix the folder’s permissions, ${nameAnother}.`,
    cause,
  });
}

export function markNotWritable(markPath: string, trouble: string): { message: string; hint: string } {
  return {
    message: `The journal’s mark ${markPath} cannot be written: ${trouble}`,
    hint: 'Fix the problem named above, then run the same command again.',
  };
}

export function setUpUnfinished(path: string): Told {
  return new Told(
    'journal-not-writable',
    `Another process is setting up the journal ${path} and does not finish`,
    { hint: 'End that process and run the same command again.' },
  );
}

export function noSharedMemory(path: string): Told {
  return new Told('journal-not-writable', `The journal ${path} is on a file system without shared memory`, {
    hint: 'Put it on a local disk with --journal or BOTCTL_JOURNAL.',
  });
}

export function notDurable(): Told {
  return new Told('journal-not-writable', 'SQLite refuses to write the journal durably', {
    hint: 'Report this, with what the doctor prints.',
    next: [['doctor']],
  });
}

export function noLocks(folder: string): Told {
  return new Told('journal-not-writable', `No lock can be taken in ${folder}`, {
    hint: 'Keep the journal on a disk that supports locks: name its file with --journal.',
  });
}

export function dumpedJournal(path: string): Told {
  return new Told(
    'journal-damaged',
    `The journal ${path} is a copy made with .dump, which leaves out what makes it a journal. It was left as it is`,
    { hint: 'Copy the journal with .backup or VACUUM INTO instead: sqlite3 journal.db ".backup copy.db".' },
  );
}

export function newerJournal(path: string, version: number, known: number): Told {
  return new Told(
    'journal-newer',
    `The journal ${path} was written by a newer botctl (journal version ${version}; this one knows ${known}). It was left as it is`,
    { hint: 'Use the newer botctl, or another journal with --journal.' },
  );
}

export function unreleasedJournal(path: string): Told {
  return new Told('journal-schema', madeBeforeRelease(`The journal ${path}`), {
    hint: 'Move it away with its log and its mark, or name another file with --journal. A new journal knows nothing of what this one sent.',
  });
}

/** `journal` begins a sentence. */
export function madeBeforeRelease(journal: string): string {
  return `${journal} was made by a botctl that was never released, and this one cannot read it. It was left as it is`;
}

function unusable(path: string, why: string, hint: string): Told {
  return new Told('journal-unusable', `The journal ${path} ${why}. It was left as it is`, {
    hint,
  });
}

export function notAJournalsFile(path: string, what: 'a folder' | 'a device' | 'not a regular file'): Told {
  return unusable(path, `is ${what}`, 'Name a file of its own with --journal.');
}

export function hardLinked(path: string): Told {
  return unusable(
    path,
    'has a second name (a hard link), and each of the two would have a log of its own',
    `Remove one of the names, ${nameAnother}.`,
  );
}

export function mountedAlone(path: string): Told {
  return unusable(
    path,
    'is mounted alone, without the log and the mark that belong beside it',
    'Mount its folder instead of the file.',
  );
}

export function noSuchJournal(path: string): Told {
  return new Told('no-such-journal', `There is no journal ${path}`, {
    hint: 'Name the right one with --journal or BOTCTL_JOURNAL.',
  });
}

/** What is gone or was replaced while the journal was open, as a sentence without its full stop. */
export function fileGone(path: string): string {
  return `${path} is gone`;
}

export function fileReplaced(path: string): string {
  return `${path} was replaced by another file`;
}
