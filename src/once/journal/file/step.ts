// SQL: bringing a journal's file up to date.
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { isBusy } from '../../../machine/fileLock.ts';
import { needsColumn } from '../columns.ts';
import { journalFailure } from '../failures.ts';
import { closings, latestIndexes, schemaVersion } from '../schema.ts';
import { changesOfNew, fingerprintOf, rulesOfFile } from './fileSchema.ts';
import { cellsOf } from './sqliteErrors.ts';

/** The version that is brought up to date. */
export const earlierVersion = 4;

/** The hash of that version's schema. */
const fingerprint = '895ab46d5f3a6d9bf922a05fa96bed26328fd62ad9dde0f7c86c9abc260f8975';

/** From 4 to 5. The rules are made again from their table. */
const step = [
  'ALTER TABLE entries RENAME COLUMN in_doubt TO was_in_doubt',
  'ALTER TABLE entries RENAME COLUMN may_have_landed_at TO in_doubt_since',
  'ALTER TABLE entries DROP COLUMN approved',
  'ALTER TABLE attempts DROP COLUMN verified',
  `ALTER TABLE decisions ADD COLUMN ${needsColumn.needs.sql}`,
  'DROP INDEX entries_payment; DROP INDEX entries_equal; DROP INDEX entries_spent',
  latestIndexes,
  closings,
  `INSERT INTO closings (kind, who, at, reason)
    SELECT 'moved', 'unknown', CAST(unixepoch('subsec') * 1000 AS INTEGER), CAST(value AS TEXT)
    FROM meta WHERE name = 'moved-to'`,
  `DELETE FROM meta WHERE name = 'moved-to'`,
  rulesOfFile,
];

let tell = (_path: string): void => {};

/** `notify` is called when a journal is brought up to date, even if the command fails after it. */
export function onStep(notify: (path: string) => void): void {
  tell = notify;
}

/** Whether a file's version calls for the step. The version of a new file may still be in its log. */
export function mayBeEarlier(version: number, path: string): boolean {
  if (version !== earlierVersion) return version === 0;
  try {
    for (const one of [path, dirname(path)]) accessSync(one, constants.W_OK);
  } catch (cause) {
    throw journalFailure('other-version', { path, version, known: schemaVersion }, cause);
  }
  return true;
}

const pauseMs = 50;
// Two seconds in all: by then, commands that only look have closed the file.
const mostTries = 40;

/** Brings a journal of the earlier version up to date, in one commit. No other process may have the file open. */
export function bringUpToDate(path: string): void {
  for (let tries = 1; numberOf(path) === earlierVersion; tries += 1) {
    if (takeStep(path)) return;
    if (tries === mostTries) throw journalFailure('in-use', { path });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}

function numberOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 30_000 });
  try {
    return cellsOf(database, 'SELECT tell(user_version) FROM pragma_user_version')[0];
  } finally {
    database.close();
  }
}

/**
 * Locks the file for this process alone. Returns false if another process has it open. If this is killed, the journal
 * is still whole and has the earlier version or the new one.
 */
function takeStep(path: string): boolean {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE');
    // A schema that was changed by hand is refused: its rules may have been broken meanwhile.
    if (fingerprintOf(database) !== fingerprint) throw journalFailure('schema-changed', { path });
    tell(path);
    const old = cellsOf(
      database,
      `SELECT tell('DROP TRIGGER ' || name) FROM sqlite_schema WHERE type = 'trigger'`,
    );
    // Our schema is recognised by SQLite's count of changes, without reading it, so set the count to a new journal's.
    database.enableDefensive(false);
    const counts = `PRAGMA user_version = ${schemaVersion}; PRAGMA schema_version = ${changesOfNew}`;
    database.exec([...old, ...step, counts, 'COMMIT', 'PRAGMA wal_checkpoint(TRUNCATE)'].join(';\n'));
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    // This rolls back what was begun.
    database.close();
  }
}
