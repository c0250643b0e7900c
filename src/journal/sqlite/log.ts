import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

// Whoever opens the journal when nobody else has it open reads all of its log first, 2 ms for each 4 MB: after a
// few commands it is moved into the database.
export const shortLog = 'PRAGMA wal_autocheckpoint = 200;';

// Keys are random, so each intent of a batch touches pages all over: they are gathered before they move, in 64 MB at
// the most, and kept.
const longLog = 'PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 16000;';

export function lengthenWal(database: DatabaseSyncInstance): void {
  database.exec(longLog);
}

/** Moves what was gathered, for the sake of whoever opens the journal next. Where that fails nothing is lost. */
export function checkpoint(database: DatabaseSyncInstance): void {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // The log holds it all.
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
