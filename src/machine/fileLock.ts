import { closeSync, openSync, statSync, unlinkSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/**
 * A lock that the operating system drops when its process ends, however it ends. Node has no flock, so an
 * empty SQLite file stands in: SQLite holds an fcntl lock on it for as long as its transaction is open.
 * A stopped process still holds it; no age and no pid is ever guessed at.
 */
export class HeldLock {
  readonly #database: DatabaseSyncInstance;
  readonly #path: string;

  constructor(database: DatabaseSyncInstance, path: string) {
    this.#database = database;
    this.#path = path;
  }

  release(): void {
    this.#database.close();
  }

  /** Also removes the file: only for a lock whose path nobody will take again. */
  releaseAndRemove(): void {
    removeFile(this.#path);
    this.release();
  }
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('errcode' in error && typeof error.errcode === 'number') return (error.errcode & 0xff) === sqliteBusy;
  return error instanceof Error && /database is locked/iu.test(error.message);
}

/** A private file, empty, unless there is one. */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Unlike existsSync this throws where nobody can tell: what cannot be seen may well be held. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Takes the lock, waiting `waitMs` at most; undefined if another holder kept it that long. */
export function takeLock(path: string, waitMs: number): HeldLock | undefined {
  // An existing file is not opened here: closing it would drop the locks that this process holds on it.
  if (!isThere(path)) createPrivate(path);
  const database = new DatabaseSync(path, { timeout: waitMs });
  try {
    // Nothing is ever written to it, so nothing has to be rolled back: no second file beside it.
    database.exec(/* sql */ 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return new HeldLock(database, path);
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Does the work while the lock is held; `stillHeld` is thrown where another holder kept it for `waitMs`. */
export function whileLocked<Result>(
  path: string,
  waitMs: number,
  stillHeld: () => Error,
  work: () => Result,
): Result {
  const lock = takeLock(path, waitMs);
  if (lock === undefined) throw stillHeld();
  try {
    return work();
  } finally {
    lock.release();
  }
}

/** Whether some living process holds the lock. Never ask this of a lock that this process holds itself. */
export function isHeld(path: string): boolean {
  if (!isThere(path)) return false;
  const lock = takeLock(path, 0);
  lock?.release();
  return lock === undefined;
}

/** Only tidies up: what stays behind is free to take. Node's rmSync would load its way of removing whole trees. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or on a disk that takes no changes any more: no outcome may be lost over that.
  }
}
