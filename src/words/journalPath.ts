import type { NoFile } from '../journal/place.ts';
import { Told } from './told.ts';

export function emptyJournal(source: '--journal' | 'BOTCTL_JOURNAL'): Told {
  return new Told('usage', `${source} is empty`, {
    hint:
      source === '--journal'
        ? 'Give it a file, or a postgres:// URL.'
        : 'Set it to the whole path of a file, or to a postgres:// URL. To use the journal of this user, unset it.',
  });
}

const file = 'A file: write its whole path.';
const server = 'A server: write its URL, like postgres://bots@db.example.com/ledger.';

const looks: Readonly<Record<NoFile, readonly [says: string, hint: string]>> = {
  marked: ['begins or ends with a blank, a quote or an invisible character', 'Take it out.'],
  url: ['looks like a URL, but not like one that begins with postgres://', `${server} ${file}`],
  settings: ['looks like a connection string, and a server is named by a URL', server],
  server: ['looks like a server, and a server is named by a URL', `${server} ${file}`],
  relative: [
    'looks like a file of this folder, or like a server without postgres://',
    `${file} With --journal it may also begin with ./, ../ or ~/. ${server}`,
  ],
};

/** What it says may hold a password. */
export function noJournalFile(source: string, as: NoFile): Told {
  const [says, hint] = looks[as];
  return new Told('usage', `${source} ${says}`, { hint });
}

export function relativeJournal(): Told {
  return new Told('usage', 'BOTCTL_JOURNAL is not an absolute path', {
    hint: 'Write the whole path, from / on: otherwise each folder would have a journal of its own.',
  });
}

export function becomesNewJournal(path: string): string {
  return `${path} is an empty file. It becomes a new journal.`;
}

export function madeNewJournal(path: string): string {
  return `${path} is a new journal: it knows nothing of what was sent before.`;
}

export function shownInPart(lost: string): string {
  return `${lost} What is left of it is shown. Before anything can be sent, see what to do about it:`;
}

export function shownUntilMove(place: string, movedTo: string): string {
  return `${place} was copied into ${movedTo}: what was done since then is shown there.`;
}

export function noUserName(): Told {
  return new Told('usage', 'The journal’s URL names no user, and this account has no name', {
    hint: 'Write the user into the URL (postgres://USER@HOST/DATABASE), or set PGUSER.',
  });
}

export const connectingToJournal = 'connecting to the shared journal';
