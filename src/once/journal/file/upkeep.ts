// SQL: checks, backs up, closes and reopens a journal's file.
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { diskTroubleOf, syncFolder } from '../../../machine/disk.ts';
import { occupantOf } from '../../../machine/wholeFile.ts';
import { Failure } from '../../failures.ts';
import { isoExact } from '../../phrases.ts';
import { factsOf, journalFailure, type Loss, type Opened } from '../failures.ts';
import { openFile, whyFileIsClosed } from './opening.ts';
import { refuseUnusable, resolveLinks, sizeOf } from './ownFiles.ts';
import { cellsOf, close, damaged, sqliteFailure } from './sqliteErrors.ts';

/** Finds what a journal has lost, if anything, and whether it is closed as a backup. Records nothing. */
export function lossToAccept(givenPath: string) {
  const path = resolveLinks(givenPath);
  if (![path, `${path}-wal`, `${path}.note`].some((one) => existsSync(one)))
    throw journalFailure('no-journal', { path });
  try {
    const { database, refused, closed } = openFile(path, 'look');
    database.close();
    const isBackup = factsOf(closed, 'closed')?.isBackup === true;
    return { loss: factsOf(refused, 'lost')?.loss, backup: isBackup ? closed : undefined };
  } catch (error) {
    const lost = factsOf(error, 'lost');
    if (lost === undefined) throw error;
    return { loss: lost.loss, backup: undefined };
  }
}

/** Refuses a file in which SQLite’s own check finds a fault. Opening reads only a part of it. */
export function refuseDamage(givenPath: string): void {
  const path = resolveLinks(givenPath);
  refuseUnusable(path);
  try {
    // If the database is an empty file, SQLite would delete its log, with all that was sent last.
    if (sizeOf(path) === 0) return;
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const [result] = cellsOf(database, 'SELECT tell(quick_check) FROM pragma_quick_check');
      if (result !== 'ok') throw damaged(path);
    } finally {
      database.close();
    }
  } catch (error) {
    throw sqliteFailure(error, path);
  }
}

/**
 * Records the loss, forgets what was noted, and opens a backup for sending. Lost entries stay lost: the same commands
 * would begin new ones. A log without its database, which SQLite would delete, is kept for investigation, and returned.
 */
export function acceptLoss(
  givenPath: string,
  loss: Loss | undefined,
  who: string,
  atMs: number,
): string | undefined {
  const path = resolveLinks(givenPath);
  const log = `${path}-wal`;
  const keptLog = loss?.isGone && existsSync(log) ? `${log}.lost` : undefined;
  if (keptLog !== undefined) renameSync(log, keptLog);
  // An empty file may stay, because a mounted file cannot be removed.
  if (loss?.isGone && sizeOf(path) > 0) rmSync(path);
  const { database, note } = openFile(path, 'accept-loss');
  try {
    database.exec('BEGIN IMMEDIATE');
    if (loss !== undefined)
      database
        .prepare(/* sql */ 'INSERT INTO losses (who, at, detail) VALUES (?, ?, ?)')
        .run(who, atMs, JSON.stringify(loss));
    database.prepare(endClosings).run(atMs, who, 'backup');
    database.exec('COMMIT');
    if (loss !== undefined) note.forget();
  } catch (error) {
    throw sqliteFailure(error, path);
  } finally {
    database.close();
  }
  return keptLog;
}

/** From now on no process begins an attempt through it. Works even if it has lost something. Returns its path. */
export function closeFile(givenPath: string, who: string, atMs: number, reason: string): string {
  return changeClosings(givenPath, (database, path) => {
    close(database, 'person', who, atMs, reason);
    return path;
  });
}

/** Ends the closings that people made. */
export function openForSending(givenPath: string, who: string, atMs: number): Opened {
  return changeClosings(givenPath, (database, path) => {
    const ended = Number(database.prepare(endClosings).run(atMs, who, 'person').changes);
    return { place: path, ended, stays: whyFileIsClosed(database, path) };
  });
}

function changeClosings<Result>(
  givenPath: string,
  change: (database: DatabaseSyncInstance, path: string) => Result,
): Result {
  const path = resolveLinks(givenPath);
  if (sizeOf(path) === 0) throw journalFailure('no-journal', { path });
  const { database } = openFile(path, 'accept-loss');
  try {
    database.exec('BEGIN IMMEDIATE');
    const result = change(database, path);
    database.exec('COMMIT');
    return result;
  } catch (error) {
    throw sqliteFailure(error, path);
  } finally {
    database.close();
  }
}

const endClosings = /* sql */ `UPDATE closings SET ended_at = ?, ended_by = ?
  WHERE kind = ? AND ended_at IS NULL`;

type RowCounts = { readonly entries: number; readonly attempts: number };

/** Copies a journal that may be in use into a new file, which is closed for sending. */
export async function backUp(
  givenPath: string,
  target: string,
  who: string,
  atMs: number,
): Promise<RowCounts> {
  const path = resolveLinks(givenPath);
  if (sizeOf(path) === 0) throw journalFailure('no-journal', { path });
  const { database, refused } = openFile(path, 'look');
  const made = `${target}.${randomUUID({ disableEntropyCache: true })}`;
  try {
    refuseOccupied(target);
    if (factsOf(refused, 'lost') !== undefined) throw refused;
    closeSync(openSync(made, 'wx', 0o600));
    try {
      await backup(database, made, { rate: pagesAtOnce });
      closeAsBackup(made, who, atMs);
      refuseOccupied(target);
      renameSync(made, target);
      syncFolder(dirname(target));
    } catch (error) {
      for (const end of ['', '-shm', '-wal', '-journal']) rmSync(`${made}${end}`, { force: true });
      throw error;
    }
    return database.prepare(counts).get() as RowCounts;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw journalFailure('backup-not-made', { path: target, trouble: diskTroubleOf(error) }, error);
  } finally {
    database.close();
  }
}

const counts = /* sql */ `SELECT (SELECT count(*) FROM entries) AS entries,
  (SELECT count(*) FROM attempts) AS attempts`;

function refuseOccupied(target: string): void {
  const there = [target, `${target}-wal`].find((one) => occupantOf(one) !== 'nothing');
  if (there !== undefined) throw journalFailure('backup-there', { path: there });
}

/** Turns WAL off, so that everything is in the one file. */
function closeAsBackup(path: string, who: string, atMs: number): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
    close(database, 'backup', who, atMs, `a backup of ${isoExact(atMs)}: what was sent since is not in it`);
  } finally {
    database.close();
  }
}

// All pages in one step: after a step, SQLite starts again if another process wrote in between.
const pagesAtOnce = -1;

const magics: Readonly<Record<number, 'tmpfs' | 'overlay' | 'network'>> = {
  16914836: 'tmpfs',
  2240043254: 'tmpfs',
  2035054128: 'overlay',
  26985: 'network',
  4283649346: 'network',
  4266872130: 'network',
};

/** The SQLite version in this program, and whether it can lose a commit when two processes share a log. */
export function sqliteVersion(): { readonly version: string; readonly losesCommits: boolean } {
  const database = new DatabaseSync(':memory:');
  const version = String(cellsOf(database, 'SELECT tell(sqlite_version())')[0]);
  database.close();
  return { version, losesCommits: losesCommits(version) };
}

export const losesCommits = (version: string): boolean =>
  version.localeCompare('3.51.3', 'en', { numeric: true }) < 0;

/** The kind of disk under a folder, if it limits how long files stay or how far locks reach. */
export function diskKind(folder: string): 'tmpfs' | 'overlay' | 'network' | undefined {
  try {
    // A large number is returned as a negative one.
    return magics[statfsSync(folder).type >>> 0];
  } catch {
    return undefined;
  }
}
