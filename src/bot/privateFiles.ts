import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { diskTrouble } from '../words/disk.ts';
import {
  type Danger,
  notA,
  openToOthers,
  ownedByAnother,
  symbolicLink,
  unreadablePlace,
  unsafePlace,
} from '../words/profilesFile.ts';

const groupAndOthers = 0o077;

function ownerDanger(path: string, uid: number): Danger | undefined {
  const me = process.getuid?.();
  if (me === undefined || uid === me) return undefined;
  return ownedByAnother(path, uid, me);
}

// Windows has no such bits; there the user's own folder is what protects the file.
function modeDanger(path: string, stats: Stats, mode: number): Danger | undefined {
  if (process.platform === 'win32' || (stats.mode & groupAndOthers) === 0) return undefined;
  return openToOthers(path, stats.mode & 0o777, mode);
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Refuses a folder that others could read or change, or that is a way to somewhere else. Absent is fine. */
export function checkFolder(path: string): void {
  let stats: Stats;
  try {
    stats = lstatSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw unreadablePlace(path, diskTrouble(error));
  }
  const danger = stats.isSymbolicLink()
    ? symbolicLink(path, 0o700)
    : stats.isDirectory()
      ? (ownerDanger(path, stats.uid) ?? modeDanger(path, stats, 0o700))
      : notA('folder', path);
  if (danger !== undefined) throw unsafePlace(path, danger);
}

/** The bytes of a file that is private to its user; undefined where there is none. */
export function readPrivate(path: string): Buffer | undefined {
  let descriptor: number;
  try {
    // Judged by what was really opened. O_NONBLOCK: a pipe in its place must not hang the command.
    descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) === 'ELOOP') throw unsafePlace(path, symbolicLink(path, 0o600));
    throw unreadablePlace(path, diskTrouble(error));
  }
  try {
    const stats = fstatSync(descriptor);
    const danger = stats.isFile()
      ? (ownerDanger(path, stats.uid) ?? modeDanger(path, stats, 0o600))
      : notA('file', path);
    if (danger !== undefined) throw unsafePlace(path, danger);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
