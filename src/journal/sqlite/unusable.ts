import { readFileSync, type Stats, statSync } from 'node:fs';
import { type JournalFacts, journalFailure } from '../facts.ts';

/** Refuses, untouched, what can never be a journal's file. Nothing there is fine. */
export function refuseUnusable(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const is = stats && whatItIs(stats);
  if (is !== undefined) throw journalFailure('not-a-file', { path, is });
  if (stats !== undefined && stats.nlink > 1) throw journalFailure('hard-linked', { path });
}

function whatItIs(stats: Stats): JournalFacts['not-a-file']['is'] | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'folder';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'device' : 'other';
}

/**
 * A journal.db that is a mount of its own has its log and its mark outside of it, where the container that comes
 * next does not find them. Asked only where that is in doubt: the list of mounts can be long.
 */
export function refuseMounted(path: string): void {
  if (isMountPoint(path)) throw journalFailure('mounted-alone', { path });
}

function isMountPoint(path: string): boolean {
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8');
    return mounts.split('\n').some((line) => unescaped(line.split(' ')[4] ?? '') === path);
  } catch {
    return false;
  }
}

/** The kernel writes blanks and backslashes of a path in octal. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/gu, (_all, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
