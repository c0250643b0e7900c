import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  danglingLink,
  diskTroubles,
  folderNotMade,
  noFolderThere,
  notAFolder,
  sqliteTroubles,
} from './words/disk.ts';

/** Trouble with a file or folder that says itself what it is. */
class DiskTrouble extends Error {
  readonly code: string;
  readonly syscall = 'mkdir';

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Why a file or folder could not be read or written, as part of a sentence. */
export function diskTrouble(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DiskTrouble) return message;
  const words = diskTroubles[codeOf(error) ?? ''];
  return words ?? sqliteTroubles.find(([wording]) => wording.test(message))?.[1] ?? message;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Makes a private folder, and those above it that are missing; says whether it was made. One by one: Node's own
 * way of making several never ends under /proc. What is there is left as it is, whoever made it.
 */
export function makeFolder(path: string): boolean {
  const above = dirname(path);
  try {
    if (isFolder(path)) return false;
    if (above !== path) makeFolder(above);
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another process may have been quicker.
    if (codeOf(error) === 'EEXIST' && isFolder(path)) return false;
    if (error instanceof DiskTrouble) throw error;
    throw new DiskTrouble(folderNotMade(path, whyNot(error)), codeOf(error) ?? '', error);
  }
}

function isFolder(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return stats !== undefined;
  throw new DiskTrouble(notAFolder(path), 'ENOTDIR');
}

function whyNot(error: unknown): string {
  switch (codeOf(error)) {
    // What is above it is there by now.
    case 'ENOENT':
      return noFolderThere;
    case 'EEXIST':
      return danglingLink;
    default:
      return diskTrouble(error);
  }
}

/** A name that was given in a folder is on the disk only when the folder is. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder; there the rename itself must do.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
