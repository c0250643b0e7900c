import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { whileLocked } from '../../machine/fileLock.ts';
import { journalFailure } from '../facts.ts';
import { busyTimeoutMs, shortLog } from './log.ts';
import { migrations } from './migrations.ts';
import { applicationId, pragma, refuseForeign, versionsOf } from './versions.ts';

/** One process at a time sets a file up: changing the journal mode does not wait for others by itself. */
export function withSetupLock<Result>(path: string, work: () => Result): Result {
  return whileLocked(
    `${path}.setup`,
    busyTimeoutMs,
    () => journalFailure('set-up-unfinished', { path }),
    work,
  );
}

export function setUp(database: DatabaseSyncInstance, path: string): void {
  // Another process, of another release even, may have been here first.
  refuseForeign(versionsOf(database), path);
  if (pragma(database, 'journal_mode = WAL') !== 'wal') {
    throw journalFailure('no-shared-memory', { path });
  }
  database.exec(`PRAGMA synchronous = FULL; PRAGMA application_id = ${applicationId};`);
  migrate(database);
}

function migrate(database: DatabaseSyncInstance): void {
  for (const [index, step] of migrations.entries()) {
    const number = index + 1;
    database.exec('BEGIN IMMEDIATE');
    try {
      if (Number(pragma(database, 'user_version')) < number) {
        database.exec(`${step}; PRAGMA user_version = ${number}`);
      }
      database.exec('COMMIT');
    } catch (error) {
      // On a full disk SQLite has rolled back by itself.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}

export function setAndCheckPragmas(database: DatabaseSyncInstance): void {
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;');
  database.exec(shortLog);
  // Some builds default to NORMAL, which loses commits on power failure: believe only what is read back.
  if (Number(pragma(database, 'synchronous')) !== 2) {
    throw journalFailure('not-durable', {});
  }
}
