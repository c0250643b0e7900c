import { randomUUID } from 'node:crypto';
import {
  existsSync,
  lchownSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorCodeOf, makeFolder } from '../../../machine/disk.ts';
import { type HeldLock, isHeld, removeFile, takeLock } from '../../../machine/fileLock.ts';
import { journalFailure, type NotAFile, type TakenAway } from '../failures.ts';

// As many links as Linux follows. This also ends circular links.
const mostLinks = 40;

/**
 * The file's real path, through all links, even if the file does not exist yet. SQLite names the files beside it after
 * this path, and so do we.
 */
export function resolveLinks(path: string, links = mostLinks): string {
  if (existsSync(path)) return realpathSync(path);
  const target = links === 0 ? undefined : targetOf(path);
  return target === undefined ? path : resolveLinks(resolve(dirname(path), target), links - 1);
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

type SeenFile = { readonly path: string; readonly dev: number; readonly ino: number };

/** The files of an open journal, as they were when it was opened. */
export class OwnFiles {
  readonly #seen: readonly SeenFile[];

  constructor(paths: readonly string[]) {
    this.#seen = paths.map((path) => {
      const { dev, ino } = statSync(path);
      return { path, dev, ino };
    });
  }

  /** The first file that has disappeared or was replaced. */
  trouble(): TakenAway | undefined {
    for (const { path, dev, ino } of this.#seen) {
      const now = statSync(path, { throwIfNoEntry: false });
      if (now === undefined) return { path, how: 'gone' };
      if (now.dev !== dev || now.ino !== ino) return { path, how: 'replaced' };
    }
    return undefined;
  }
}

type Own = { readonly name: string; readonly lock: HeldLock };

/**
 * The processes that own entries. Each process that claims holds one lock, and is alive as long as the lock is held.
 */
export class ProcessOwners {
  readonly #journalPath: string;
  readonly #folder: string;
  #own: Own | undefined;

  constructor(journalPath: string) {
    this.#journalPath = journalPath;
    this.#folder = `${journalPath}.owners`;
  }

  self(): string {
    this.#own ??= this.#register();
    return this.#own.name;
  }

  #register(): Own {
    if (makeFolder(this.#folder)) giveToOwner(this.#folder, this.#journalPath);
    // No other process knows the name. If the lock is refused, the call was interrupted, or the disk has no locks.
    for (let tries = 0; tries < 3; tries += 1) {
      const name = randomUUID({ disableEntropyCache: true });
      const lock = takeLock(join(this.#folder, name), 0);
      if (lock !== undefined) {
        giveToOwner(join(this.#folder, name), this.#journalPath);
        return { name, lock };
      }
      removeFile(join(this.#folder, name));
    }
    throw journalFailure('no-local-disk', { path: this.#folder });
  }

  isAlive(owner: string): boolean {
    return owner === this.#own?.name || isHeld(join(this.#folder, owner));
  }

  /** Only for a dead owner. An owner without a file is dead, and its name is never used again. */
  forget(owner: string): void {
    removeFile(join(this.#folder, owner));
  }

  close(): void {
    if (this.#own === undefined) return;
    // Removed while the lock is held, so that no process mistakes it for a dead owner's.
    removeFile(join(this.#folder, this.#own.name));
    this.#own.lock.release();
    this.#own = undefined;
  }
}

/** Gives what root creates beside a user's journal to that user, who could not open it otherwise. */
export function giveToOwner(path: string, journalPath: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(journalPath, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) lchownSync(path, owner.uid, owner.gid);
}

/** The files beside a journal. `''` is the journal itself, with its links resolved. */
const beside = ['', '.note', '.setup', '.owners', '-wal', '-shm', '-journal'];

/** Refuses, without touching it, anything that can never be a journal's file. A missing file is fine. */
export function refuseUnusable(journalPath: string): void {
  for (const path of beside.map((end) => `${journalPath}${end}`)) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const is = stats && whatItIs(stats);
    if (is !== undefined && !(is === 'folder' && path.endsWith('.owners')))
      throw journalFailure('not-a-file', { path, is });
    if (stats?.isFile() && stats.nlink > 1) throw journalFailure('hard-linked', { path });
  }
}

function whatItIs(stats: Stats): NotAFile | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/** How many living processes have claimed an entry of this journal. They may be sending. */
export function ownersAlive(path: string): number {
  const folder = `${path}.owners`;
  try {
    return readdirSync(folder).filter((name) => isHeld(join(folder, name))).length;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}
