import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * The folders above a path, nearest first, and those above each link on the way. A user who can write to one of them
 * controls what the path leads to.
 */
export function foldersAbove(path: string): ReadonlySet<string> {
  const folders = new Set<string>();
  addAbove(path, folders);
  return folders;
}

function addAbove(path: string, folders: Set<string>): void {
  const folder = dirname(path);
  if (folder !== path && !folders.has(folder)) {
    folders.add(folder);
    addAbove(folder, folders);
  }
  if (isLink(path)) addAbove(resolve(realpathSync(folder), readlinkSync(path)), folders);
}

export function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}

/** Owned by root or by the current user. Any other owner could change it at any time. */
export function isOwnedSafely({ uid }: Pick<Stats, 'uid'>): boolean {
  return uid === 0 || uid === process.getuid?.();
}

const writableByOthers = 0o022;
const sticky = 0o1000;

/** In a sticky folder other users can add files but cannot replace ours. */
export function isFolderOpen({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & writableByOthers) !== 0 && (mode & sticky) === 0;
}
