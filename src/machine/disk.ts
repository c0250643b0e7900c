import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why a folder could not be made. `cause` is the system's error, if there is one. */
class FolderTrouble extends Error {
  readonly kind: 'not-made' | 'not-a-folder';
  readonly folder: string;
  readonly code: string;
  readonly syscall = 'mkdir';

  constructor(kind: FolderTrouble['kind'], folder: string, code: string, cause?: unknown) {
    super(`${kind}: ${folder}`, { cause });
    this.kind = kind;
    this.folder = folder;
    this.code = code;
  }
}

/** The message of the system or SQLite, with its code if it has one. */
type Said = { readonly code: string; readonly said: string };

export type DiskTrouble =
  | ({ readonly is: 'failed' } & Said)
  | ({ readonly is: 'folder-not-made'; readonly folder: string } & Said)
  | { readonly is: 'not-a-folder'; readonly folder: string };

export function diskTroubleOf(error: unknown): DiskTrouble {
  if (!(error instanceof FolderTrouble)) return { is: 'failed', ...saidBy(error) };
  const { kind, folder, cause } = error;
  return kind === 'not-a-folder' ? { is: kind, folder } : { is: 'folder-not-made', folder, ...saidBy(cause) };
}

function saidBy(error: unknown): Said {
  return { code: errorCodeOf(error) ?? '', said: error instanceof Error ? error.message : String(error) };
}

/**
 * Makes a private folder and its missing parents, and returns whether it was made. Existing folders are left unchanged,
 * whatever their owner. Not mkdir's `recursive`: it never returns under /proc.
 */
export function makeFolder(path: string): boolean {
  const above = dirname(path);
  try {
    if (isFolder(path)) return false;
    if (above !== path) makeFolder(above);
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another process may have made it first.
    if (errorCodeOf(error) === 'EEXIST' && isFolder(path)) return false;
    if (error instanceof FolderTrouble) throw error;
    throw new FolderTrouble('not-made', path, errorCodeOf(error) ?? '', error);
  }
}

function isFolder(path: string): boolean {
  // Not statSync with `throwIfNoEntry: false`: for a path below a file it throws, only on Node 20.
  if (!existsSync(path)) return false;
  if (statSync(path).isDirectory()) return true;
  throw new FolderTrouble('not-a-folder', path, 'ENOTDIR');
}

/** The error's code, from the system (`ENOENT`), a server or Node. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A new or renamed file survives a power cut only after its folder is synced. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
