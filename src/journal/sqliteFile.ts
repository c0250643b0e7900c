import { chmodSync, closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { Failure } from '../errors.ts';
import { takeLock } from '../lock/fileLock.ts';
import { migrations } from './migrations.ts';
import { damaged, journalFailure } from './sqliteFaults.ts';

const busyTimeoutMs = 30_000;

// Keys are random, so each intent touches pages all over: 16 MB of them are kept, and gathered before they move.
const forManyIntents = 'PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4000;';

// 'botc': a database of another program is not taken for a journal.
const applicationId = 0x626f7463;

/** Opens the journal's file, made new or brought up to date as needed; anything odd is refused untouched. */
export function openFile(path: string): DatabaseSyncInstance {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (refuseWhatIsNoDatabase(path) === 'a-database') standBy(path);
    const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    try {
      prepare(database, path);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw journalFailure(error, path);
  }
}

/** Creates the file private to its user, and reads its first bytes before SQLite touches it. */
function refuseWhatIsNoDatabase(path: string): 'new' | 'a-database' {
  const file = openSync(path, 'a+', 0o600);
  let length: number;
  try {
    const head = Buffer.alloc(16);
    length = readSync(file, head, 0, 16, 0);
    if (length > 0 && head.toString('latin1') !== 'SQLite format 3\0') throw damaged(path);
  } finally {
    closeSync(file);
  }
  // WAL and shared memory files take the mode of the database.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return length === 0 ? 'new' : 'a-database';
}

function pragma(database: DatabaseSyncInstance, name: string): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown> | undefined;
  return row === undefined ? undefined : Object.values(row)[0];
}

function prepare(database: DatabaseSyncInstance, path: string): void {
  const version = Number(pragma(database, 'user_version'));
  refuseForeign(database, version, path);
  if (version < migrations.length || pragma(database, 'journal_mode') !== 'wal') setUp(database, path);
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;');
  database.exec(forManyIntents);
  // Some builds default to NORMAL, which loses commits on power failure: believe only what is read back.
  if (Number(pragma(database, 'synchronous')) !== 2) {
    throw new Failure('journal-not-writable', 'SQLite refuses to write the journal durably.', {
      hint: 'Nothing was sent. Report this with the output of `botctl doctor`.',
    });
  }
}

function refuseForeign(database: DatabaseSyncInstance, version: number, path: string): void {
  const id = Number(pragma(database, 'application_id'));
  const isEmpty = version === 0 && Number(pragma(database, 'schema_version')) === 0;
  if (id !== applicationId && !isEmpty) throw damaged(path);
  if (version <= migrations.length) return;
  throw new Failure(
    'journal-newer',
    `The journal ${path} was written by a newer botctl (journal version ${version}; this one knows ${migrations.length}). It was left as it is.`,
    { hint: 'Nothing was sent. Use the newer botctl, or another journal with --journal.' },
  );
}

/** One process at a time sets a file up: changing the journal mode does not wait for others by itself. */
function setUp(database: DatabaseSyncInstance, path: string): void {
  const lock = takeLock(`${path}.setup`, busyTimeoutMs);
  if (lock === undefined)
    throw new Failure(
      'journal-not-writable',
      `The journal ${path} is being set up by another process that does not finish.`,
      { hint: 'Nothing was sent. End that process and run the same command again.' },
    );
  try {
    if (pragma(database, 'journal_mode = WAL') !== 'wal') {
      throw new Failure(
        'journal-not-writable',
        `The journal ${path} is on a file system without shared memory.`,
        {
          hint: 'Nothing was sent. Put it on a local disk with --journal or BOTCTL_JOURNAL.',
        },
      );
    }
    database.exec(`PRAGMA synchronous = FULL; PRAGMA application_id = ${applicationId};`);
    migrate(database);
  } finally {
    lock.release();
  }
}

function migrate(database: DatabaseSyncInstance): void {
  for (const [index, step] of migrations.entries()) {
    const number = index + 1;
    database.exec('BEGIN IMMEDIATE');
    try {
      if (Number(pragma(database, 'user_version')) < number) {
        database.exec(step);
        database.exec(`PRAGMA user_version = ${number}`);
      }
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  }
}

/**
 * A commit that may be lost if the power fails, and is only ever lost to the safe side. Saves the fsync of
 * a fact that nothing depends on.
 */
export function withoutSync(database: DatabaseSyncInstance, work: () => void): void {
  if (database.isTransaction) {
    work();
    return;
  }
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    work();
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
}

const bystanders: DatabaseSyncInstance[] = [];

/**
 * Keeps the WAL from being folded into the database at the end of every command: the last connection to
 * close would do that and delete it, and the next command would make it anew; four fsyncs of six in a single
 * send. A reader cannot fold it, and keeps writers from doing so. It must be opened before the writer and
 * stay open, because Node closes what is left in the opposite order. SQLite itself folds the WAL every
 * thousand pages; where this does not work out, each command folds it as it would have anyway.
 */
function standBy(path: string): void {
  try {
    const bystander = new DatabaseSync(path, { readOnly: true });
    // It holds its share of the file from its first read on.
    if (pragma(bystander, 'journal_mode') === 'wal') bystanders.push(bystander);
    else bystander.close();
  } catch {
    // What is wrong with the file is found, and said, by the writer.
  }
}
