import { readFileSync, type Stats, statSync } from 'node:fs';
import { hardLinked, mountedAlone, notAJournalsFile } from '../../words/journal.ts';

/** Refuses, untouched, what can never be a journal's file. Nothing there is fine. */
export function refuseUnusable(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const what = stats && whatItIs(stats);
  if (what !== undefined) throw notAJournalsFile(path, what);
  if (stats !== undefined && stats.nlink > 1) throw hardLinked(path);
}

function whatItIs(stats: Stats): 'a folder' | 'a device' | 'not a regular file' | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'not a regular file';
}

/**
 * A journal.db that is a mount of its own has its log and its mark outside of it, where the container that comes
 * next does not find them. Asked only where that is in doubt: the list of mounts can be long.
 */
export function refuseMounted(path: string): void {
  if (isMountPoint(path)) throw mountedAlone(path);
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
