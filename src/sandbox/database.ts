import { accessSync, constants, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { makeFolder } from '../machine/disk.ts';
import { createPrivate, whileLocked } from '../machine/fileLock.ts';

export type Database = InstanceType<typeof DatabaseSync>;

/** How long a request waits for other processes' transactions. */
export const lockWaitMs = 15_000;

const schemaVersion = 3;

// Lamports are TEXT, because a u64 is wider than an SQLite integer. Each transaction has its own slot, so a slot in
// `touches` identifies the transaction that names an address.
const schema = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE conversations (id TEXT PRIMARY KEY) STRICT;
  CREATE TABLE accounts (
    address TEXT PRIMARY KEY,
    lamports TEXT NOT NULL,
    owner TEXT NOT NULL,
    data BLOB
  ) STRICT;
  CREATE TABLE transactions (
    slot INTEGER PRIMARY KEY,
    signature TEXT NOT NULL UNIQUE,
    block_time INTEGER NOT NULL,
    fee INTEGER NOT NULL,
    made TEXT NOT NULL
  ) STRICT;
  CREATE TABLE touches (
    address TEXT NOT NULL,
    slot INTEGER NOT NULL,
    PRIMARY KEY (address, slot)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE effects (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    token TEXT NOT NULL,
    key TEXT,
    at_ms INTEGER NOT NULL,
    request TEXT NOT NULL,
    signature TEXT
  ) STRICT;
  CREATE INDEX effects_by_key ON effects (key);
  CREATE TABLE keys (
    operation TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    kept TEXT NOT NULL,
    PRIMARY KEY (operation, scope, key)
  ) STRICT;
  CREATE TABLE buckets (name TEXT PRIMARY KEY, level REAL NOT NULL, at_ms INTEGER NOT NULL) STRICT;
  CREATE TABLE faults (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    fault TEXT NOT NULL,
    remaining INTEGER NOT NULL
  ) STRICT;
  PRAGMA user_version = ${schemaVersion};
`;

/** Opens the data folder's database. `fill` runs once, in the transaction that creates the tables. */
export function openDatabase(dataDir: string, waitMs: number, fill: (db: Database) => void): Database {
  makeFolder(dataDir);
  const file = join(dataDir, 'sandbox.db');
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile())
    throw new Error(`${file} is not a regular file, and was left unchanged`);
  // An existing file keeps its mode.
  createPrivate(file);
  accessSync(file, constants.W_OK);
  const db = new DatabaseSync(file, { timeout: waitMs });
  try {
    keepLog(db, file, waitMs);
    setDurable(db);
    inTransaction(db, () => {
      if (numberIn(db, 'user_version') === schemaVersion) return;
      if (db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined)
        throw new Error(`${file} was made by another version of botctl, or by another program`);
      db.exec(schema);
      fill(db);
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const numberIn = (db: Database, pragma: string): unknown =>
  Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];

/** If two processes change the journal mode at once, SQLite refuses one of them. A lock makes them take turns. */
function keepLog(db: Database, file: string, waitMs: number): void {
  if (numberIn(db, 'journal_mode') === 'wal') return;
  const stillBeingMade = (): Error =>
    new Error(`${file} is being made by another process that does not finish`);
  whileLocked(`${file}.setup`, waitMs, stillBeingMade, () => db.exec('PRAGMA journal_mode = WAL'));
}

/** Some builds default to NORMAL, which loses commits on a power failure. Sets FULL, then checks. */
function setDurable(db: Database): void {
  db.exec('PRAGMA synchronous = FULL');
  if (numberIn(db, 'synchronous') !== 2) throw new Error('SQLite does not accept synchronous=FULL here');
}

export function inTransaction<T>(db: Database, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Moves the log into the file, unless other processes use it or the disk is full. Then the log stays. */
export function closeDatabase(db: Database): void {
  try {
    db.exec('PRAGMA busy_timeout = 0');
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The next process to open it reads the log. Nothing is lost, and a failed cleanup must not hide an outcome.
  } finally {
    db.close();
  }
}
