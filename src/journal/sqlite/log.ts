import { statfsSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { sizeOf } from './ownFiles.ts';

export const busyTimeoutMs = 30_000;

// Whoever opens the journal when nobody else has it open reads all of its log first, 2 ms for each 4 MB: after a
// few commands it is moved into the database.
export const shortLog = 'PRAGMA wal_autocheckpoint = 200;';

// Keys are random, so each intent of a batch touches pages all over: they are gathered before they move, in 64 MB at
// the most, and kept.
const longLog =
  'PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = -1;';

// On a disk that a long log could fill: 8 MB with the commit that is the last one before it moves.
const tightLog =
  'PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 1500; PRAGMA journal_size_limit = 8388608;';

const mebibyte = 1024 * 1024;
const smallDisk = 1024 * mebibyte;
const littleRoom = 512 * mebibyte;

/** Whether a log of 64 MB, and what it becomes in the database, is too much for the disk. */
function isTight(path: string): boolean {
  try {
    const { blocks, bavail, bsize } = statfsSync(path);
    // Some file systems do not say how large they are.
    return blocks > 0 && (blocks * bsize < smallDisk || bavail * bsize < littleRoom);
  } catch {
    return false;
  }
}

/** Gathers more before it moves; asked again now and then, because a disk fills up. */
export function fitLog(database: DatabaseSyncInstance, path: string): void {
  database.exec(isTight(path) ? tightLog : longLog);
}

/** Moves what was gathered, so that the next process that opens the journal need not. */
export function checkpoint(database: DatabaseSyncInstance, path: string): void {
  if (isTight(path)) emptyLog(database);
  else attempt(() => database.exec('PRAGMA wal_checkpoint(PASSIVE)'));
}

/** A log that an earlier run left behind keeps its size, also where all of it is in the database by now. */
export function makeRoom(database: DatabaseSyncInstance, path: string): void {
  if (sizeOf(`${path}-wal`) > mebibyte && isTight(path)) emptyLog(database);
}

/** Waits for nobody: who reads meanwhile keeps it as it is. */
function emptyLog(database: DatabaseSyncInstance): void {
  attempt(() => database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)'));
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
}

/** Where that fails nothing is lost: the log holds it all. */
function attempt(move: () => void): void {
  try {
    move();
  } catch {
    // As before.
  }
}

/**
 * A commit that may be lost if the power fails, and is only ever lost to the safe side. Saves the fsync of
 * a fact that nothing depends on.
 */
export async function withoutSync<Result>(
  database: DatabaseSyncInstance,
  commit: () => Promise<Result>,
): Promise<Result> {
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    return await commit();
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
}

/** One for each journal: whoever opens it again in this process has it already. */
const bystanders = new Map<string, DatabaseSyncInstance>();

/**
 * Keeps the WAL from being folded into the database at the end of every command: the last connection to
 * close would do that and delete it, and the next command would make it anew; four fsyncs of six in a single
 * send. A reader cannot fold it, and keeps writers from doing so, also a writer that is about to refuse what it
 * sees. It must be opened before the writer and stay open, because Node closes what is left in the opposite
 * order. SQLite itself folds the WAL every thousand pages; where this does not work out, each command folds it
 * as it would have anyway.
 */
export function openBystander(path: string): void {
  if (bystanders.has(path)) return;
  try {
    const bystander = new DatabaseSync(path, { readOnly: true });
    // It holds its share of the file from its first read on.
    const row = bystander.prepare('PRAGMA journal_mode').get() as { journal_mode?: unknown } | undefined;
    if (row?.journal_mode === 'wal') bystanders.set(path, bystander);
    else bystander.close();
  } catch {
    // What is wrong with the file is found, and said, by the writer.
  }
}
