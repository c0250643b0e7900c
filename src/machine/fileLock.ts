import { closeSync, openSync, statSync, unlinkSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';

/**
 * A lock that the operating system releases when its process ends, however it ends. Node has no flock, so we use an
 * empty SQLite file: SQLite holds an fcntl lock on it while its transaction is open. A stopped process keeps its lock;
 * we never guess from an age or a pid.
 */
export type HeldLock = { release(): void };

const sqliteBusy = 5;

export function isBusy(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('errcode' in error && typeof error.errcode === 'number') return (error.errcode & 0xff) === sqliteBusy;
  return error instanceof Error && /database is locked/iu.test(error.message);
}

/** Creates an empty private file, unless one exists. */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Unlike existsSync, this throws if the answer is unknown: a file we cannot see may be locked. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Takes the lock, waiting `waitMs` at most. Undefined if another process kept it that long. */
export function takeLock(path: string, waitMs: number): HeldLock | undefined {
  // Never open and close an existing file here: closing drops every lock that this process has on it.
  if (!isThere(path)) createPrivate(path);
  const database = new DatabaseSync(path, { timeout: waitMs });
  try {
    // Nothing is ever written to the file, so a rollback journal in memory is enough and avoids a second file.
    database.exec(/* sql */ 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Runs `work` with the lock held. Throws `stillHeld` if another process kept the lock for `waitMs`. */
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

/** Whether a living process holds the lock. Never call this for a lock of this process. */
export function isHeld(path: string): boolean {
  if (!isThere(path)) return false;
  const lock = takeLock(path, 0);
  lock?.release();
  return lock === undefined;
}

/** Only tidies up: a lock file left behind is harmless. Not rmSync, which loads code for removing whole trees. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already removed, or the disk is read-only. An outcome must not be lost because of this.
  }
}
