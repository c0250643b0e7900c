// SQL: setting up and opening a journal’s file.
import { chmodSync, closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { makeFolder, syncFolder } from '../../../machine/disk.ts';
import { whileLocked } from '../../../machine/fileLock.ts';
import type { Failure } from '../../failures.ts';
import { factsOf, journalFailure, whyClosed } from '../failures.ts';
import { type Known, Note } from '../note.ts';
import { schemaVersion } from '../schema.ts';
import { closingOf } from '../verbs.ts';
import { fileSchema, fileVerbs, isOurSchema, lackedByFile } from './fileSchema.ts';
import { giveToOwner, refuseUnusable, resolveLinks, sizeOf } from './ownFiles.ts';
import {
  applicationId,
  damaged,
  openingFailure,
  pragma,
  refuseForeign,
  type Versions,
  versionsOf,
} from './sqliteErrors.ts';
import { bringUpToDate, earlierVersion, mayBeEarlier } from './step.ts';

/** What a command is about to do. Sending and deciding need a complete journal, unless its loss is being accepted. */
export type JournalUse = 'send' | 'look';
type FileUse = JournalUse | 'accept-loss';

type OpenedFile = {
  readonly path: string;
  readonly database: DatabaseSyncInstance;
  readonly note: Note;
  /** Why it can only be read: it lost something, it moved, or its schema was changed. */
  readonly refused: Failure | undefined;
  /** Why it begins no attempt. */
  readonly closed: Failure | undefined;
};

/** The note, in a file beside the journal, of what it acknowledged to this machine. */
function noteOf(path: string): Note {
  return new Note(`${path}.note`, (made) => giveToOwner(made, path));
}

/**
 * Opens or creates the file. If it lacks something, throws to send, and returns the reason to look. Always throws if the
 * file is gone or emptied. May first finish a rollback or upgrade the file.
 */
export function openFile(givenPath: string, use: FileUse = 'send'): OpenedFile {
  const path = resolveLinks(givenPath);
  try {
    refuseUnusable(path);
    const note = noteOf(path);
    const noted = use === 'accept-loss' ? [] : note.noted();
    makeFolder(dirname(path));
    // A process that waited for the lock finds the file that the other one made.
    if (sizeOf(path) === 0) withSetupLock(path, () => makeFile(path, noted, use));
    const version = refuseAtRest(path);
    if (existsSync(`${path}-journal`)) withSetupLock(path, () => undoHalfWritten(path));
    if (mayBeEarlier(version, path)) withSetupLock(path, () => bringUpToDate(path));
    // Opened for reading first: a writer that refuses the file and closes it last would move the log into it.
    const reader = new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly: true });
    let stands: Barred | undefined;
    try {
      const versions = versionsOf(reader);
      refuseForeign(versions, path);
      stands = whyBarred(reader, versions, path, noted);
      if (stands.refused === undefined)
        return { path, database: openWriter(path, stands.closed), note, ...stands };
      if (use !== 'look') throw stands.refused;
    } finally {
      if (stands?.refused === undefined || use !== 'look') reader.close();
    }
    return { path, database: reader, note, ...stands };
  } catch (error) {
    throw openingFailure(error, path);
  }
}

/** A journal that was emptied or removed is not new: we no longer know what was sent. */
function makeFile(path: string, noted: readonly Known[], use: FileUse): void {
  if (sizeOf(path) > 0) return;
  const isGone = noted.length > 0 || sizeOf(`${path}-wal`) > 0;
  const isEmptied = existsSync(path) && existsSync(`${path}.owners`);
  if (use !== 'accept-loss' && (isGone || isEmptied))
    throw journalFailure('lost', { path, loss: { isGone: true, missing: noted } });
  closeSync(openSync(path, 'a', 0o600));
  syncFolder(dirname(path));
}

// SQLite treats a file that is shorter than its smallest page as empty.
const smallestPage = 512;

/**
 * Checks what a file says it is before SQLite makes a log beside it, and returns its version. If there is a log
 * already, the log may have a later version.
 */
function refuseAtRest(path: string): number {
  const size = sizeOf(path);
  if (size > 0 && size < smallestPage) throw damaged(path);
  if (size === 0) return schemaVersion;
  const header = headerOf(path);
  // SQLite would write the log of another journal over it.
  if (!header.isInWal && sizeOf(`${path}-wal`) > 0) throw damaged(path);
  // Only the header counts: a kill may have left the rest half written.
  if (existsSync(`${path}-journal`)) refuseForeign(header, path, earlierVersion);
  else if (!existsSync(`${path}-wal`)) refuseForeignAtRest(path);
  return header.applicationId === applicationId || header.version === 0 ? header.version : schemaVersion;
}

function refuseForeignAtRest(path: string): void {
  const resting = new DatabaseSync(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
  try {
    refuseForeign(versionsOf(resting), path, earlierVersion);
  } finally {
    resting.close();
  }
}

/** What SQLite keeps in the first 100 bytes. */
function headerOf(path: string) {
  const header = Buffer.alloc(100);
  // It stays open until this process ends: closing it would release every lock that SQLite has on the file here.
  readSync(openSync(path, 'r'), header);
  const [changes, version] = [header.readInt32BE(40), header.readInt32BE(60)];
  return { changes, version, applicationId: header.readInt32BE(68), isInWal: header[18] === 2 };
}

/** At the next read, SQLite undoes what a kill left half written. Only a writer may do that. */
function undoHalfWritten(path: string): void {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    database.exec('PRAGMA user_version');
  } finally {
    database.close();
  }
}

type Barred = Pick<OpenedFile, 'refused' | 'closed'>;

/** Why a journal can only be read, and why it begins no attempt. */
function whyBarred(
  database: DatabaseSyncInstance,
  { version, changes }: Versions,
  path: string,
  noted: readonly Known[],
): Barred {
  // Version 0: its set-up was killed, or everything was in its log and the log is gone.
  if (version === 0) {
    const lost = journalFailure('lost', { path, loss: { isGone: true, missing: noted } });
    return { refused: noted.length === 0 ? undefined : lost, closed: undefined };
  }
  const closed = whyFileIsClosed(database, path);
  const missing = lackedByFile(database, noted);
  if (missing.length > 0)
    return { refused: journalFailure('lost', { path, loss: { isGone: false, missing } }), closed };
  if (factsOf(closed, 'moved') !== undefined) return { refused: closed, closed };
  return {
    refused: isOurSchema(database, changes) ? undefined : journalFailure('schema-changed', { path }),
    closed,
  };
}

export function whyFileIsClosed(database: DatabaseSyncInstance, path: string): Failure | undefined {
  return whyClosed(path, database.prepare(fileVerbs.closings.text).all().map(closingOf));
}

function openWriter(path: string, closed: Failure | undefined): DatabaseSyncInstance {
  // The log and the shared memory get the mode of the database.
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    // A backup stays out of WAL until `accept-loss` opens it for sending: no log of another journal can get in unnoticed.
    const isBackup = factsOf(closed, 'closed')?.isBackup === true;
    if (pragma(database, 'user_version') === 0 || (pragma(database, 'journal_mode') !== 'wal' && !isBackup))
      withSetupLock(path, () => setUp(database, path));
    setAndCheckPragmas(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** One process at a time sets up a file: changing the journal mode does not wait for others by itself. */
function withSetupLock<Result>(path: string, work: () => Result): Result {
  const lock = `${path}.setup`;
  return whileLocked(
    lock,
    busyTimeoutMs,
    () => journalFailure('busy', { path }),
    () => {
      giveToOwner(lock, path);
      return work();
    },
  );
}

function setUp(database: DatabaseSyncInstance, path: string): void {
  // Another process, even of another release, may have been here first.
  refuseForeign(versionsOf(database), path);
  // Run to its end: the first row says "wal" even if the write after it fails.
  database.exec('PRAGMA journal_mode = WAL');
  if (pragma(database, 'journal_mode') !== 'wal') throw journalFailure('no-local-disk', { path });
  database.exec(`PRAGMA synchronous = FULL; PRAGMA application_id = ${applicationId};`);
  database.exec('BEGIN IMMEDIATE');
  try {
    if (Number(pragma(database, 'user_version')) === 0)
      database.exec(`${fileSchema}; PRAGMA user_version = ${schemaVersion}`);
    database.exec('COMMIT');
  } catch (error) {
    // On a full disk SQLite has already rolled back.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
  foldLog(database);
}

/** Moves the log into the database, unless another process reads it. A failure loses nothing: the log stays. */
export function foldLog(database: DatabaseSyncInstance): void {
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The log stays as it is.
  }
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
}

const busyTimeoutMs = 30_000;

function setAndCheckPragmas(database: DatabaseSyncInstance): void {
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;');
  // Keys are random, so each entry of a batch touches pages all over the file. They are gathered in a log of 16 MB
  // before they move. The process that closes the journal moves the rest.
  database.exec('PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 4000;');
  // Some builds default to NORMAL, which loses commits on power failure, so trust only what is read back.
  if (Number(pragma(database, 'synchronous')) !== 2) throw journalFailure('not-durable', {});
}
