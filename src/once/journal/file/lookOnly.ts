// SQL: queries on a file that is only read.
import { existsSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Intent, State } from '../journal.ts';
import { intentOf, type JournalRow, sound } from '../rows.ts';
import { proposals, schemaVersion } from '../schema.ts';
import { applicationId, sqliteFailure } from './faults.ts';
import { isOurSchema } from './fileSchema.ts';
import { movedTo, ProcessOwners, sizeOf } from './ownFiles.ts';

/** What a look at a journal's file shows. It makes, repairs and changes nothing. */
export type JournalLook = {
  /** SQLite's own check: `ok`, or its complaints. */
  readonly check: readonly string[];
  readonly version: number;
  readonly knownVersion: number;
  readonly isJournal: boolean;
  /** Whether somebody changed its tables or rules by hand. */
  readonly isChanged: boolean;
  /** Where it was copied to, if it was. It then sends nothing more. */
  readonly movedTo: string | undefined;
  readonly mode: string;
  /** Whether this build of SQLite makes commits durable, as SQLite itself reports it. */
  readonly syncsFully: boolean;
  readonly counts: Partial<Record<State, number>>;
  /** How many of these wait for approval, or were approved and not sent. */
  readonly proposals: Partial<Record<State, number>>;
  readonly oldestUnknown: Intent | undefined;
  /** The latest `updated_at` of any intent. */
  readonly latestMs: number | undefined;
};

const busyTimeoutMs = 2_000;

function looking<Result>(path: string, look: (database: DatabaseSyncInstance) => Result): Result {
  try {
    // If the database is an empty file, SQLite would delete its log, with all that was sent last.
    const file = sizeOf(path) === 0 && existsSync(path) ? ':memory:' : path;
    const database = new DatabaseSync(file, { readOnly: file === path, timeout: busyTimeoutMs });
    try {
      return look(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw sqliteFailure(error, path);
  }
}

function rows(database: DatabaseSyncInstance, sql: string): JournalRow[] {
  return database.prepare(sql).all() as JournalRow[];
}

function only(database: DatabaseSyncInstance, sql: string): unknown {
  const [row = {}] = rows(database, sql);
  return Object.values(row)[0];
}

export function lookAtJournal(path: string): JournalLook {
  return looking(path, (database) => {
    const version = Number(only(database, 'PRAGMA user_version'));
    const isJournal = Number(only(database, 'PRAGMA application_id')) === applicationId;
    database.exec('PRAGMA synchronous = FULL');
    const readable = isJournal && version === schemaVersion;
    const isChanged = readable && !isOurSchema(database, Number(only(database, 'PRAGMA schema_version')));
    const [oldest] = readable ? rows(database, oldestUnknown) : [];
    const latest = readable ? only(database, 'SELECT max(updated_at) FROM intents') : undefined;
    return {
      check: rows(database, 'PRAGMA quick_check(5)').map((row) => String(Object.values(row)[0])),
      version,
      knownVersion: schemaVersion,
      isJournal,
      isChanged,
      movedTo: readable ? movedTo(database) : undefined,
      mode: String(only(database, 'PRAGMA journal_mode')),
      syncsFully: Number(only(database, 'PRAGMA synchronous')) === 2,
      counts: readable ? countsOf(database) : {},
      proposals: readable ? countsOf(database, proposals) : {},
      oldestUnknown: oldest === undefined ? undefined : toIntentOf(path)(oldest),
      latestMs: typeof latest === 'number' ? latest : undefined,
    };
  });
}

function toIntentOf(path: string): (row: JournalRow) => Intent {
  const owners = new ProcessOwners(path);
  return (row) => intentOf(sound(row), typeof row.owner === 'string' && owners.isAlive(row.owner));
}

const oldestUnknown = `SELECT * FROM intents WHERE state IN ('unknown', 'sending')
                       ORDER BY coalesce(may_have_landed_at, created_at) LIMIT 1`;

function countsOf(database: DatabaseSyncInstance, those = 'true'): Partial<Record<State, number>> {
  const counts = rows(database, `SELECT state, count(*) AS count FROM intents WHERE ${those} GROUP BY state`);
  return Object.fromEntries(counts.map(({ state, count }) => [state as State, Number(count)]));
}
