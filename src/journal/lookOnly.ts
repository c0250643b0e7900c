import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Intent, State } from './journal.ts';
import { migrations } from './migrations.ts';
import { intentOf, type SqlRow } from './rows.ts';
import { damaged, journalFailure } from './sqliteFaults.ts';

/** What a look at a journal's file shows. Nothing is made, mended or changed by it. */
export type JournalLook = {
  /** SQLite's own check: `ok`, or its complaints. */
  readonly check: readonly string[];
  readonly version: number;
  readonly knownVersion: number;
  readonly isJournal: boolean;
  readonly mode: string;
  /** Whether this build of SQLite does what makes a commit durable, read back from it. */
  readonly syncsFully: boolean;
  readonly counts: Partial<Record<State, number>>;
  readonly oldestUnknown: Intent | undefined;
  /** The latest time that any intent carries. */
  readonly latestMs: number | undefined;
};

const journalsMark = 0x626f7463;
const busyTimeoutMs = 2_000;

function looking<Result>(path: string, look: (database: DatabaseSyncInstance) => Result): Result {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    try {
      return look(database);
    } finally {
      database.close();
    }
  } catch (error) {
    const isNone = error instanceof Error && /not a database|malformed/u.test(error.message);
    throw isNone ? damaged(path, error) : journalFailure(error, path);
  }
}

function rows(database: DatabaseSyncInstance, sql: string): SqlRow[] {
  return database.prepare(sql).all() as SqlRow[];
}

function only(database: DatabaseSyncInstance, sql: string): unknown {
  const [row] = rows(database, sql);
  return row === undefined ? undefined : Object.values(row)[0];
}

export function lookAtJournal(path: string): JournalLook {
  return looking(path, (database) => {
    const version = Number(only(database, 'PRAGMA user_version'));
    const isJournal = Number(only(database, 'PRAGMA application_id')) === journalsMark;
    database.exec('PRAGMA synchronous = FULL');
    const readable = isJournal && version >= 1;
    const [oldest] = readable ? rows(database, oldestUnknown) : [];
    const latest = readable ? only(database, 'SELECT max(updated_at) FROM intents') : undefined;
    return {
      check: rows(database, 'PRAGMA quick_check(5)').map((row) => String(Object.values(row)[0])),
      version,
      knownVersion: migrations.length,
      isJournal,
      mode: String(only(database, 'PRAGMA journal_mode')),
      syncsFully: Number(only(database, 'PRAGMA synchronous')) === 2,
      counts: readable ? countsOf(database) : {},
      oldestUnknown: oldest === undefined ? undefined : intentOf(oldest),
      latestMs: typeof latest === 'number' ? latest : undefined,
    };
  });
}

const oldestUnknown = `SELECT * FROM intents WHERE state IN ('unknown', 'sending')
                       ORDER BY coalesce(may_have_landed_at, created_at) LIMIT 1`;

function countsOf(database: DatabaseSyncInstance): Partial<Record<State, number>> {
  const counts = rows(database, 'SELECT state, count(*) AS count FROM intents GROUP BY state');
  return Object.fromEntries(counts.map(({ state, count }) => [state as State, Number(count)]));
}

export function recentIntents(path: string, limit: number): Intent[] {
  return looking(path, (database) =>
    (
      database
        .prepare('SELECT * FROM intents ORDER BY created_at DESC, seq DESC LIMIT :limit')
        .all({ limit }) as SqlRow[]
    ).map(intentOf),
  );
}
