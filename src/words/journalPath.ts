import { Failure } from '../errors.ts';
import { unsent } from './nothing.ts';

export function emptyJournalOption(): Failure {
  return new Failure('usage', unsent('--journal is empty'), {
    hint: 'Give it a file, or a postgres:// URL.',
  });
}

/** What it says may hold a password. */
export function looksLikeUrl(source: string): Failure {
  return new Failure('usage', unsent(`${source} looks like a server, and a server is named by a URL`), {
    hint: 'Write postgres:// in front of it. If it is meant as a file, write its whole path.',
  });
}

export function relativeJournal(): Failure {
  return new Failure('usage', unsent('BOTCTL_JOURNAL is not an absolute path'), {
    hint: 'Write the whole path, from / on: otherwise each folder would have a journal of its own.',
  });
}

export function becomesNewJournal(path: string): string {
  return `${path} is an empty file. It becomes a new journal.`;
}

export function shownInPart(lost: string): string {
  return `${lost} What is left of it is shown. Before anything can be sent, see what to do about it:`;
}

export function shownUntilMove(place: string, movedTo: string): string {
  return `${place} was copied into ${movedTo}: what was done since then is shown there.`;
}

export function noUserName(): Failure {
  return new Failure('usage', unsent('The journal’s URL names no user, and this account has no name'), {
    hint: 'Write the user into the URL (postgres://USER@HOST/DATABASE), or set PGUSER.',
  });
}

export const connectingToJournal = 'connecting to the shared journal';
