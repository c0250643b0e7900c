// SQL: closing a file that was moved.

import { randomUUID } from 'node:crypto';
import {
  existsSync,
  lchownSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { makeFolder } from '../../../machine/disk.ts';
import { type HeldLock, isHeld, removeFile, takeLock } from '../../../machine/fileLock.ts';
import type { Failure } from '../../failures.ts';
import { type JournalFacts, journalFailure } from '../facts.ts';

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

/** Events this close together cannot be told apart. A process that was frozen meanwhile looks again. */
const sameMomentMs = 5;

type TakenAway = JournalFacts['taken-away'];

type FileLook = { readonly commits: number; readonly atMs: number; readonly found: TakenAway | undefined };

/** The files of an open journal, as they were when it was opened. */
export class OwnFiles {
  readonly #seen: readonly SeenFile[];
  #last: FileLook | undefined;

  constructor(paths: readonly string[]) {
    this.#seen = paths.map((path) => {
      const { dev, ino } = statSync(path);
      return { path, dev, ino };
    });
  }

  /**
   * What has disappeared or was replaced. Looks again after each commit. One look serves all rows of a batch that share
   * a commit, where nine system calls were a tenth of a row.
   */
  trouble(commits: number, nowMs: number): TakenAway | undefined {
    const last = this.#last;
    if (last?.commits === commits && nowMs >= last.atMs && nowMs - last.atMs < sameMomentMs)
      return last.found;
    const found = this.#look();
    this.#last = { commits, atMs: nowMs, found };
    return found;
  }

  #look(): TakenAway | undefined {
    for (const { path, dev, ino } of this.#seen) {
      const now = statSync(path, { throwIfNoEntry: false });
      if (now === undefined) return { path, how: 'gone' };
      if (now.dev !== dev || now.ino !== ino) return { path, how: 'replaced' };
    }
    return undefined;
  }
}

type Own = { readonly name: string; readonly lock: HeldLock; readonly touchedAtMs: number | undefined };

/**
 * The processes that own intents. Each process that claims holds one lock, and is alive as long as the lock is held.
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
    // Nobody else knows the name. If the lock is refused, the call was interrupted, or the disk has no locks.
    for (let tries = 0; tries < 3; tries += 1) {
      const name = randomUUID({ disableEntropyCache: true });
      const lock = takeLock(join(this.#folder, name), 0);
      if (lock !== undefined) {
        giveToOwner(join(this.#folder, name), this.#journalPath);
        return { name, lock, touchedAtMs: this.#touchedAtMs(name) };
      }
      removeFile(join(this.#folder, name));
    }
    throw journalFailure('no-locks', { folder: this.#folder });
  }

  isAlive(owner: string): boolean {
    return owner === this.#own?.name || isHeld(join(this.#folder, owner));
  }

  /** Sets the time of the owner's file without opening it: to close it would drop this process's locks on it. */
  ask(owner: string): void {
    const now = new Date();
    try {
      utimesSync(join(this.#folder, owner), now, now);
    } catch {
      // The owner has ended or is another user's. The caller looks again anyway.
    }
  }

  isAsked(): boolean {
    return this.#own !== undefined && this.#touchedAtMs(this.#own.name) !== this.#own.touchedAtMs;
  }

  #touchedAtMs(owner: string): number | undefined {
    return statSync(join(this.#folder, owner), { throwIfNoEntry: false })?.mtimeMs;
  }

  /** Only for a dead owner: a name without a file is dead for everything it owned, and is never used again. */
  forget(owner: string): void {
    removeFile(join(this.#folder, owner));
  }

  close(): void {
    this.#own?.lock.releaseAndRemove();
    this.#own = undefined;
  }
}

/** What root creates beside a user's journal is given to that user, who could not open it otherwise. */
export function giveToOwner(path: string, journalPath: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(journalPath, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) lchownSync(path, owner.uid, owner.gid);
}

/** Refuses, without touching it, what can never be a journal's file. A missing file is fine. */
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
 * If journal.db is a mount of its own, its log and its mark are outside of it, where the next container does not find
 * them. Called only in doubt, because the list of mounts can be long.
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

/** The kernel writes blanks and backslashes in a path as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/gu, (_all, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

/** Where a journal was moved to. It sends nothing more. */
type Moved = {
  /** For people. */
  readonly place: string;
  /** The id of the journal that it was copied into. */
  readonly journal: string;
  readonly who: string;
  readonly atMs: number;
};

export function readMoved(database: DatabaseSyncInstance): Moved | undefined {
  const text = metaText(database, 'moved-to');
  return text === undefined ? undefined : (JSON.parse(text) as Moved);
}

/** The failure of a command that sends or decides. */
export function movedFailure(database: DatabaseSyncInstance, path: string): Failure | undefined {
  const place = readMoved(database)?.place;
  if (place === undefined) return undefined;
  return journalFailure('moved', { path, place });
}

function metaText(database: DatabaseSyncInstance, name: string): string | undefined {
  const row = database.prepare('SELECT value FROM meta WHERE name = ?').get(name) as
    | { value: Uint8Array }
    | undefined;
  return row === undefined ? undefined : Buffer.from(row.value).toString();
}

const sentence = 'the journal was moved';

/** Whether a statement was refused because the journal was closed after it was opened. */
export function isRefusedAsMoved(error: unknown): boolean {
  return error instanceof Error && error.message.includes(sentence);
}
