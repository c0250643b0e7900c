import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { Failure } from '../errors.ts';
import { whileLocked } from '../lock/fileLock.ts';
import { migrations } from './migrations.ts';
import { damaged, openingFailure } from './sqliteFaults.ts';

const busyTimeoutMs = 30_000;

// Whoever opens the journal when nobody else has it open reads all of its log first, 2 ms for each 4 MB: after a
// few commands it is moved into the database.
const shortLog = 'PRAGMA wal_autocheckpoint = 200;';

// Keys are random, so each intent of a batch touches pages all over: they are gathered before they move, and kept.
const longLog = 'PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 4000;';

// 'botc': a database of another program is not taken for a journal.
const applicationId = 0x626f7463;

/** Opens the journal's file, made new or brought up to date as needed; anything odd is refused untouched. */
export function openFile(asked: string): DatabaseSyncInstance {
  const path = ownName(asked);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (sizeOf(path) > 0) {
      refuseByHeader(path);
      standBy(path);
      return openDatabase(path, (database) => prepare(database, path));
    }
    return withSetupLock(path, () => {
      makePrivate(path);
      return openDatabase(path, (database) => {
        setUp(database, path);
        prepare(database, path);
      });
    });
  } catch (error) {
    throw openingFailure(error, path);
  }
}

/** A file's own name, by whatever link it is called: what stands beside it is named after it, as SQLite does. */
export function ownName(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function openDatabase(path: string, work: (database: DatabaseSyncInstance) => void): DatabaseSyncInstance {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    work(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The file of a new journal. One that somebody emptied is not new: what was sent is not known any more. */
function makePrivate(path: string): void {
  if (sizeOf(path) === 0 && sizeOf(`${path}-wal`) > 0) throw logAlone(path);
  if (existsSync(path) && sizeOf(path) === 0 && existsSync(`${path}.owners`)) throw damaged(path);
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

/** SQLite would delete it with all that was sent last. */
function logAlone(path: string): Failure {
  return new Failure(
    'journal-damaged',
    `The journal ${path} is gone or empty, but its log ${path}-wal is still there. Both were left as they are.`,
    {
      hint: `Nothing was sent. The two belong together: put the journal back, or move the log to where it is now.`,
    },
  );
}

const headerBytes = 100;

/**
 * Reads what a file says it is before SQLite touches it. Where there is a log beside it, its latest pages
 * may stand there, and it may be open in this very process, whose locks would go when it is closed here.
 */
function refuseByHeader(path: string): void {
  if (sizeOf(path) < headerBytes) throw damaged(path);
  if (existsSync(`${path}-wal`)) return;
  const header = Buffer.alloc(headerBytes);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, headerBytes, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw damaged(path);
  refuseForeign(
    {
      version: header.readInt32BE(60),
      schemaVersion: header.readInt32BE(40),
      applicationId: header.readInt32BE(68),
    },
    path,
  );
}

function pragma(database: DatabaseSyncInstance, name: string): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown> | undefined;
  return row === undefined ? undefined : Object.values(row)[0];
}

function prepare(database: DatabaseSyncInstance, path: string): void {
  const stated = statedBy(database);
  refuseForeign(stated, path);
  // The log and the shared memory take the mode of the database.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  if (stated.version < migrations.length || pragma(database, 'journal_mode') !== 'wal') {
    withSetupLock(path, () => setUp(database, path));
  }
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;');
  database.exec(shortLog);
  // Some builds default to NORMAL, which loses commits on power failure: believe only what is read back.
  if (Number(pragma(database, 'synchronous')) !== 2) {
    throw new Failure('journal-not-writable', 'SQLite refuses to write the journal durably.', {
      hint: 'Nothing was sent. Report this with the output of `botctl doctor`.',
    });
  }
}

/** What a database says it is. */
type Stated = { readonly version: number; readonly schemaVersion: number; readonly applicationId: number };

function statedBy(database: DatabaseSyncInstance): Stated {
  // Makes SQLite read all of the schema: what is wrong with it is found now, not at the first statement.
  database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
  return {
    version: Number(pragma(database, 'user_version')),
    schemaVersion: Number(pragma(database, 'schema_version')),
    applicationId: Number(pragma(database, 'application_id')),
  };
}

function refuseForeign({ version, schemaVersion, applicationId: id }: Stated, path: string): void {
  const isEmpty = version === 0 && schemaVersion === 0;
  if (id !== applicationId && !isEmpty) throw damaged(path);
  if (version < 0) throw damaged(path);
  if (version <= migrations.length) return;
  throw new Failure(
    'journal-newer',
    `The journal ${path} was written by a newer botctl (journal version ${version}; this one knows ${migrations.length}). It was left as it is.`,
    { hint: 'Nothing was sent. Use the newer botctl, or another journal with --journal.' },
  );
}

/** One process at a time sets a file up: changing the journal mode does not wait for others by itself. */
function withSetupLock<Result>(path: string, work: () => Result): Result {
  const refusal = (): Failure =>
    new Failure(
      'journal-not-writable',
      `The journal ${path} is being set up by another process that does not finish.`,
      { hint: 'Nothing was sent. End that process and run the same command again.' },
    );
  return whileLocked(`${path}.setup`, busyTimeoutMs, refusal, work);
}

function setUp(database: DatabaseSyncInstance, path: string): void {
  // Another process, of another release even, may have been here first.
  refuseForeign(statedBy(database), path);
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
      // On a full disk SQLite has rolled back by itself.
      if (database.isTransaction) database.exec('ROLLBACK');
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

export function gatherMore(database: DatabaseSyncInstance): void {
  database.exec(longLog);
}

/** Moves what was gathered, for the sake of whoever opens the journal next. Where that fails nothing is lost. */
export function moveGathered(database: DatabaseSyncInstance): void {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // The log holds it all.
  }
}

/** One for each journal: whoever opens it again in this process has it already. */
const bystanders = new Map<string, DatabaseSyncInstance>();

/**
 * Keeps the WAL from being folded into the database at the end of every command: the last connection to
 * close would do that and delete it, and the next command would make it anew; four fsyncs of six in a single
 * send. A reader cannot fold it, and keeps writers from doing so. It must be opened before the writer and
 * stay open, because Node closes what is left in the opposite order. SQLite itself folds the WAL every
 * thousand pages; where this does not work out, each command folds it as it would have anyway.
 */
function standBy(path: string): void {
  if (bystanders.has(path)) return;
  try {
    const bystander = new DatabaseSync(path, { readOnly: true });
    // It holds its share of the file from its first read on.
    if (pragma(bystander, 'journal_mode') === 'wal') bystanders.set(path, bystander);
    else bystander.close();
  } catch {
    // What is wrong with the file is found, and said, by the writer.
  }
}
