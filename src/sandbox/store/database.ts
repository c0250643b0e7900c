import { accessSync, constants, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { makeFolder } from '../../machine/disk.ts';
import { createPrivate, whileLocked } from '../../machine/fileLock.ts';
import { tokenProgram } from '../solana/address.ts';
import { decodeTransaction } from '../solana/message.ts';

export type Database = InstanceType<typeof DatabaseSync>;

/** How long a request waits for other processes' transactions. */
export const lockWaitMs = 15_000;

/** Which transactions name an address: each has a slot of its own. And when the clock of slots began. */
const secondVersion = `
  CREATE TABLE touches (
    address TEXT NOT NULL,
    slot INTEGER NOT NULL,
    PRIMARY KEY (address, slot)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO facts (name, value) VALUES ('slot_at_ms', CAST(unixepoch() * 1000 AS TEXT));
  CREATE INDEX token_accounts_by_owner ON accounts (substr(data, 33, 32)) WHERE owner = '${tokenProgram}';
`;

const schema = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE conversations (id TEXT PRIMARY KEY) STRICT;
  CREATE TABLE assets (symbol TEXT PRIMARY KEY, mint TEXT NOT NULL, decimals INTEGER NOT NULL) STRICT;
  CREATE TABLE accounts (
    address TEXT PRIMARY KEY,
    lamports TEXT NOT NULL,
    owner TEXT NOT NULL,
    data BLOB
  ) STRICT;
  CREATE TABLE transactions (
    signature TEXT PRIMARY KEY,
    slot INTEGER NOT NULL,
    block_time INTEGER NOT NULL,
    wire BLOB NOT NULL,
    meta TEXT NOT NULL
  ) STRICT;
  CREATE INDEX transactions_by_slot ON transactions (slot);
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
    at_ms INTEGER NOT NULL,
    body_hash TEXT NOT NULL,
    effect_id TEXT NOT NULL,
    reply TEXT NOT NULL,
    PRIMARY KEY (operation, scope, key)
  ) STRICT;
  CREATE TABLE buckets (name TEXT PRIMARY KEY, level REAL NOT NULL, at_ms INTEGER NOT NULL) STRICT;
  CREATE TABLE faults (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    spec TEXT NOT NULL,
    remaining INTEGER NOT NULL
  ) STRICT;
`;

/** Opens the data folder's database; `fill` runs once, in the transaction that lays the tables. */
export function openDatabase(dataDir: string, waitMs: number, fill: (db: Database) => void): Database {
  makeFolder(dataDir);
  const file = join(dataDir, 'sandbox.db');
  refuseForeign(file);
  // What is there already is left as it is, its mode too.
  createPrivate(file);
  accessSync(file, constants.W_OK);
  const db = new DatabaseSync(file, { timeout: waitMs });
  try {
    keepLog(db, file, waitMs);
    setDurable(db);
    inTransaction(db, () => {
      const version = versionOf(db);
      if (version === 2) return;
      if (version === 1) {
        addTouches(db);
        return;
      }
      if (version !== 0) throw new Error(`${file} was written by a newer botctl`);
      if (hasTables(db)) throw new Error(`${file} is a database of another program`);
      db.exec(schema + secondVersion);
      fill(db);
      db.exec('PRAGMA user_version = 2');
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Folders of the first version did not keep which transactions name an address. */
function addTouches(db: Database): void {
  db.exec(secondVersion);
  const touch = db.prepare('INSERT INTO touches (address, slot) VALUES (?, ?)');
  const rows = db.prepare('SELECT slot, wire FROM transactions').iterate() as Iterable<{
    slot: number;
    wire: Uint8Array;
  }>;
  for (const { slot, wire } of rows) {
    for (const address of decodeTransaction(wire).message.accounts) touch.run(address, slot);
  }
  db.exec('PRAGMA user_version = 2');
}

function refuseForeign(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  throw new Error(`${file} is not a regular file, and was left as it is`);
}

function hasTables(db: Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}

function journalModeOf(db: Database): string {
  return (db.prepare('PRAGMA journal_mode').get() as { journal_mode: string }).journal_mode;
}

/** Two processes that change the journal mode at once do not wait for each other: SQLite refuses one of them. */
function keepLog(db: Database, file: string, waitMs: number): void {
  if (journalModeOf(db) === 'wal') return;
  const stillBeingMade = (): Error =>
    new Error(`${file} is being made by another process that does not finish`);
  whileLocked(`${file}.setup`, waitMs, stillBeingMade, () => db.exec('PRAGMA journal_mode = WAL'));
}

/** Some builds default to NORMAL, which loses commits on power failure: set FULL, then ask. */
function setDurable(db: Database): void {
  db.exec('PRAGMA synchronous = FULL');
  const row = db.prepare('PRAGMA synchronous').get() as { synchronous: number };
  if (row.synchronous !== 2) throw new Error('SQLite does not accept synchronous=FULL here');
}

function versionOf(db: Database): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
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

/** Leaves all of it in one file, unless others are at work in there or its disk is full: the log holds it all. */
export function closeDatabase(db: Database): void {
  try {
    db.exec('PRAGMA busy_timeout = 0');
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Whoever opens it next reads the log. What was done stands, and no outcome may be lost over tidying up.
  } finally {
    db.close();
  }
}

const sqliteBusy = 5;

/** Other processes held the folder for longer than this one would wait; nothing was done. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
