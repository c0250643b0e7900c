// SQL: setting up and opening a journal’s file.
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { makeFolder, syncFolder } from '../../../machine/disk.ts';
import { whileLocked } from '../../../machine/fileLock.ts';
import type { Failure } from '../../failures.ts';
import { factsOf, journalFailure, type Loss } from '../facts.ts';
import { schemaVersion } from '../schema.ts';
import { applicationId, damaged, openingFailure, pragma, refuseForeign, versionsOf } from './faults.ts';
import { fileSchema, missingParts } from './fileSchema.ts';
import {
  accountedNumbers,
  checkMark,
  Mark,
  type MarkFound,
  noRowNumbers,
  readMarkId,
  rowsKnownTo,
  writeMarkId,
} from './mark.ts';
import {
  giveToOwner,
  movedFailure,
  refuseMounted,
  refuseUnusable,
  resolveLinks,
  sizeOf,
} from './ownFiles.ts';

const connections = new Map<string, DatabaseSyncInstance[]>();

function connect(path: string, options: { readonly readOnly?: true; readonly timeout?: number }) {
  const database = new DatabaseSync(path, options);
  // SQLite has no whole numbers of that size.
  database.function('plus', { deterministic: true }, (left: unknown, right: unknown) =>
    String(BigInt(String(left)) + BigInt(String(right))),
  );
  connections.set(path, [...openTo(path), database]);
  return database;
}

function openTo(path: string): DatabaseSyncInstance[] {
  return (connections.get(path) ?? []).filter(({ isOpen }) => isOpen);
}

/**
 * Whether only SQLite may read this file now: closing it would drop every lock that the connections of this process have
 * on it.
 */
function isOpenHere(path: string): boolean {
  return openTo(path).length > 0;
}

/** What a command is about to do. Sending and deciding need a whole journal. */
export type JournalUse = 'send' | 'look';

type OpenedFile = {
  readonly path: string;
  readonly database: DatabaseSyncInstance;
  readonly mark: Mark | undefined;
  /** Only if it is opened for reading; the database cannot be written then. */
  readonly loss: Loss | undefined;
  /** Where it was copied to. It is then open for reading only. */
  readonly movedTo?: string | undefined;
};

/** The journal's salt, which hides its tokens. It stands there twice, so that a flipped bit in it is noticed. */
export function readSalt(database: DatabaseSyncInstance): Uint8Array {
  const read = database.prepare(/* sql */ 'SELECT value FROM meta WHERE name = ?1');
  const [salt, again] = ['salt', 'salt-again'].map((name) => {
    const row = read.get(name) as { value: Uint8Array } | undefined;
    return row && Buffer.from(row.value);
  });
  if (salt === undefined || again?.equals(salt) !== true) throw journalFailure('salt-changed', {});
  return salt;
}

/** Opens the journal's file, and creates or upgrades it if needed. Refuses anything odd without touching it. */
export function openFile(givenPath: string, use: JournalUse = 'send'): OpenedFile {
  const path = resolveLinks(givenPath);
  try {
    refuseUnusable(path);
    makeFolder(dirname(path));
    for (;;) {
      if (sizeOf(path) > 0) return openKnown(path, use);
      // A process that waited for the lock finds what its holder made, or left half made.
      const made = withSetupLock(path, () => (sizeOf(path) > 0 ? undefined : openNew(path)));
      if (made !== undefined) return made;
    }
  } catch (error) {
    throw openingFailure(error, path);
  }
}

function openKnown(path: string, use: JournalUse): OpenedFile {
  // The mark is read before the database: what is committed in between is more than the mark says, not less.
  const found = Mark.open(path, use === 'send' ? 'r+' : 'r');
  const header = isOpenHere(path) ? undefined : readHeader(path);
  refuseByHeader(path, header);
  try {
    const base = header === undefined ? undefined : baseOf(header);
    if (base !== undefined && isOlder(base, found, path)) throw lossFailure({ is: 'base' }, found, path);
    openBystander(path);
    const opened = openDatabase(path, (database) => prepare(database, path, found));
    if (use === 'send') makeRoom(opened.database, path);
    if (base !== undefined && use === 'send') opened.mark?.noteBase(base);
    return opened;
  } catch (error) {
    const lost = factsOf(error, 'lost');
    const moved = factsOf(error, 'moved');
    if (use === 'look' && lost !== undefined) return openRest(path, lost.loss);
    if (use === 'look' && moved !== undefined) return openMoved(path, moved.place);
    if (use === 'look' && factsOf(error, 'schema-changed') !== undefined) return openMoved(path, undefined);
    throw error;
  }
}

/** Without a log beside it, the database is a whole copy that was put there, and may count from the start. */
function isOlder(base: number, found: MarkFound, path: string): boolean {
  return found.is === 'mark' && base < found.mark.base && sizeOf(`${path}-wal`) > 0;
}

/** Whether the log beside a database is not its own. Applying it would make a database that never existed. */
export function isOlderThanLog(path: string, found: MarkFound): boolean {
  // A process that has it open has checked this already.
  return sizeOf(path) > 0 && !isOpenHere(path) && isOlder(baseOf(readHeader(path)), found, path);
}

/** Opens what is left of a journal that lost something, for reading only. */
function openRest(path: string, loss: Loss): OpenedFile {
  // SQLite reads no log beside a database that it is told never changes.
  const location = loss.is === 'base' ? `${pathToFileURL(path).href}?immutable=1` : path;
  const database = connect(location, { timeout: busyTimeoutMs, readOnly: true });
  refuseForeign(versionsOf(database), path);
  return { path, database, mark: undefined, loss };
}

/** Opens a journal that was copied elsewhere, or whose schema was changed, for reading only. */
function openMoved(path: string, movedTo: string | undefined): OpenedFile {
  const database = connect(path, { timeout: busyTimeoutMs, readOnly: true });
  return { path, database, mark: undefined, loss: undefined, movedTo };
}

/** Opens what is left of a journal, or creates it. The caller holds the set-up lock. */
export function openToRepair<Result>(path: string, work: (database: DatabaseSyncInstance) => Result): Result {
  if (sizeOf(path) > 0) openBystander(path);
  else makePrivate(path);
  const database = connect(path, { timeout: busyTimeoutMs });
  try {
    setUp(database, path);
    setAndCheckPragmas(database);
    return work(database);
  } catch (error) {
    throw openingFailure(error, path);
  } finally {
    database.close();
  }
}

function makePrivate(path: string): void {
  const file = openSync(path, 'a', 0o600);
  try {
    fchmodSync(file, 0o600);
    syncFolder(dirname(path));
  } finally {
    closeSync(file);
  }
}

function openNew(path: string): OpenedFile {
  refuseLeftovers(path);
  refuseMounted(path);
  makePrivate(path);
  return openDatabase(path, (database) => {
    setUp(database, path);
    setAndCheckPragmas(database);
    return markSetUp(database, path);
  });
}

function openDatabase(path: string, work: (database: DatabaseSyncInstance) => Mark): OpenedFile {
  const database = connect(path, { timeout: busyTimeoutMs });
  try {
    return { path, database, mark: work(database), loss: undefined };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A journal that was emptied or removed is not new: we no longer know what was sent. */
function refuseLeftovers(path: string): void {
  const found = Mark.open(path, 'r');
  if (found.is === 'mark') found.mark.close();
  const isMarked = found.is !== 'missing';
  if (!isMarked && sizeOf(`${path}-wal`) === 0 && !(existsSync(path) && existsSync(`${path}.owners`))) return;
  const loss: Loss = { is: 'journal', found: 'gone', rows: rowsKnownTo(found) };
  throw journalFailure('lost', { path, loss });
}

/** Refuses a foreign or newer file, or one that has lost something, before anything is written. */
function prepare(database: DatabaseSyncInstance, path: string, found: MarkFound): Mark {
  const versions = versionsOf(database);
  refuseForeign(versions, path);
  const isMade = versions.version > 0;
  const moved = isMade ? movedFailure(database, path) : undefined;
  if (moved !== undefined) throw moved;
  const note = isMade ? readMarkId(database) : undefined;
  const mark = wholeMark(database, path, found, note);
  const lacks = isMade ? missingParts(database, versions.changes) : [];
  if (lacks.length > 0) throw journalFailure('schema-changed', { path, lacks });
  // The log and the shared memory get the mode of the database.
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  if (versions.version === 0 || pragma(database, 'journal_mode') !== 'wal') {
    withSetupLock(path, () => setUp(database, path));
  }
  setAndCheckPragmas(database);
  // Its set-up was killed before it had a mark. Two processes may get here at once.
  return mark ?? withSetupLock(path, () => finishedMark(database, path));
}

/** The mark of a journal that holds all that the mark says. Otherwise throws the loss, before anything is written. */
function wholeMark(
  database: DatabaseSyncInstance,
  path: string,
  found: MarkFound,
  note: string | undefined,
): Mark | undefined {
  const checked = checkMark(found, note, note === undefined ? noRowNumbers : accountedNumbers(database));
  if (checked === undefined || checked instanceof Mark) return checked;
  // A process that sets it up, or accepts a loss, may be in the middle of that, or was killed there.
  if (checked.is === 'mark') return withSetupLock(path, () => finishedMark(database, path));
  throw lossFailure(checked, found, path);
}

/** Checks again under the set-up lock, with what another process may have done under it. */
function finishedMark(database: DatabaseSyncInstance, path: string): Mark {
  const note = readMarkId(database);
  Mark.adoptDraft(path, note);
  const found = Mark.open(path, 'r+');
  const checked = checkMark(found, note, accountedNumbers(database));
  if (checked instanceof Mark) return checked;
  refuseMounted(path);
  if (checked === undefined) return markSetUp(database, path);
  throw lossFailure(checked, found, path);
}

function lossFailure(loss: Loss, found: MarkFound, path: string): Failure {
  if (found.is === 'mark') found.mark.close();
  return journalFailure('lost', { path, loss });
}

/**
 * The mark is on the disk before the journal says that it must have one, and in its place after that. Then the note
 * moves from the log into the database, because the database could be copied alone.
 */
function markSetUp(database: DatabaseSyncInstance, path: string): Mark {
  const id = Mark.draft(path, accountedNumbers(database));
  writeMarkId(database, id);
  return adoptMark(database, path, id);
}

export function adoptMark(database: DatabaseSyncInstance, path: string, id: string): Mark {
  Mark.adoptDraft(path, id);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const found = Mark.open(path, 'r+');
  if (found.is === 'mark' && found.mark.id === id) return found.mark;
  const loss: Loss = { is: 'mark', found: found.is === 'mark' ? 'anothers' : found.is };
  throw journalFailure('lost', { path, loss });
}

const headerBytes = 100;

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) throw damaged(path);
    return header;
  } finally {
    closeSync(file);
  }
}

/** Reads what a file says it is before SQLite touches it. If there is a log beside it, that may say more. */
function refuseByHeader(path: string, header: Buffer | undefined): void {
  if (header === undefined || existsSync(`${path}-wal`)) return;
  if (isDumped(header, path)) throw journalFailure('dumped', { path });
  refuseForeign(
    {
      version: header.readInt32BE(60),
      changes: header.readInt32BE(40),
      applicationId: header.readInt32BE(68),
    },
    path,
  );
}

/**
 * The database's own change counter, which grows when the log moves into it. SQLite applies any log to any database; a
 * database that counts less than before is an older one.
 */
function baseOf(header: Buffer): number {
  return header.readUInt32BE(24);
}

/** `.dump` writes out the tables, but not what says that they are a journal. */
function isDumped(header: Buffer, path: string): boolean {
  // It does not say what it is, and it is not in WAL mode, so opening it makes no files beside it.
  if (header.readInt32BE(68) !== 0 || header.readUInt8(18) !== 1) return false;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = `SELECT count(*) AS count FROM sqlite_schema
                    WHERE type = 'table' AND name IN ('intents', 'attempts', 'decisions')`;
    return database.prepare(tables).get()?.count === 3;
  } finally {
    database.close();
  }
}

/** One process at a time sets up a file: changing the journal mode does not wait for others by itself. */
export function withSetupLock<Result>(path: string, work: () => Result): Result {
  const lock = `${path}.setup`;
  return whileLocked(
    lock,
    busyTimeoutMs,
    () => journalFailure('set-up-unfinished', { path }),
    () => {
      giveToOwner(lock, path);
      return work();
    },
  );
}

function setUp(database: DatabaseSyncInstance, path: string): void {
  // Another process, even of another release, may have been here first.
  refuseForeign(versionsOf(database), path);
  if (pragma(database, 'journal_mode = WAL') !== 'wal') {
    throw journalFailure('no-shared-memory', { path });
  }
  database.exec(`PRAGMA synchronous = FULL; PRAGMA application_id = ${applicationId};`);
  makeSchema(database);
}

function makeSchema(database: DatabaseSyncInstance): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    if (Number(pragma(database, 'user_version')) === 0) {
      database.exec(`${fileSchema}; PRAGMA user_version = ${schemaVersion}`);
    }
    database.exec('COMMIT');
  } catch (error) {
    // On a full disk SQLite has already rolled back.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function setAndCheckPragmas(database: DatabaseSyncInstance): void {
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;');
  database.exec(shortLog);
  // Some builds default to NORMAL, which loses commits on power failure, so trust only what is read back.
  if (Number(pragma(database, 'synchronous')) !== 2) {
    throw journalFailure('not-durable', {});
  }
}

const busyTimeoutMs = 30_000;

// A process that opens the journal alone reads all of its log first, 2 ms for each 4 MB. So the log moves into the
// database after a few commands.
const shortLog = 'PRAGMA wal_autocheckpoint = 200;';

// Keys are random, so each intent of a batch touches pages all over the file. They are gathered in a log of 64 MB at
// most before they move, and the log file is kept.
const longLog =
  'PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = -1;';

// For a disk that a long log could fill: 8 MB, with the last commit before it moves.
const tightLog =
  'PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 1500; PRAGMA journal_size_limit = 8388608;';

const mebibyte = 1024 * 1024;
const smallDisk = 1024 * mebibyte;
const littleRoom = 512 * mebibyte;

/** Whether the disk is too small for a log of 64 MB and what it becomes in the database. */
function isTight(path: string): boolean {
  try {
    const { blocks, bavail, bsize } = statfsSync(path);
    // Some file systems do not say how large they are.
    return blocks > 0 && (blocks * bsize < smallDisk || bavail * bsize < littleRoom);
  } catch {
    return false;
  }
}

/** Lets the log grow longer before it moves. Called again now and then, because a disk fills up. */
export function fitLog(database: DatabaseSyncInstance, path: string): void {
  database.exec(isTight(path) ? tightLog : longLog);
}

/** Moves the log into the database, so that the next process that opens the journal need not. */
export function checkpoint(database: DatabaseSyncInstance, path: string): void {
  if (isTight(path)) emptyLog(database);
  else attempt(() => database.exec('PRAGMA wal_checkpoint(PASSIVE)'));
}

/** A log that an earlier run left behind keeps its size even when all of it is in the database. */
function makeRoom(database: DatabaseSyncInstance, path: string): void {
  if (sizeOf(`${path}-wal`) > mebibyte && isTight(path)) emptyLog(database);
}

/** Waits for nobody: if others are reading, the log stays as it is. */
function emptyLog(database: DatabaseSyncInstance): void {
  attempt(() => database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)'));
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
}

/** A failure loses nothing: the log still holds everything. */
function attempt(move: () => void): void {
  try {
    move();
  } catch {
    // The log stays as it is.
  }
}

/**
 * Runs a commit that a power failure may lose, which is always safe here. Saves the fsync of a fact that nothing
 * depends on.
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

/** One for each journal, however often this process opens it. */
const bystanders = new Map<string, DatabaseSyncInstance>();

/**
 * Keeps the WAL from being folded into the database at the end of every command. The last connection to close would do
 * that and delete the WAL, and the next command would make it again: four fsyncs of six in a single send. A reader
 * cannot fold it, and while it is open no closing writer does, not even one that is about to refuse what it sees. It
 * must be opened before the writer and stay open, because Node closes what is left in the opposite order. SQLite still
 * folds the WAL when that is long enough; if this reader fails, each command folds it as it would have anyway.
 */
function openBystander(path: string): void {
  if (bystanders.has(path)) return;
  try {
    const bystander = connect(path, { readOnly: true });
    // Its shared lock begins with its first read.
    const row = bystander.prepare('PRAGMA journal_mode').get() as { journal_mode?: unknown } | undefined;
    if (row?.journal_mode === 'wal') bystanders.set(path, bystander);
    else bystander.close();
  } catch {
    // The writer finds and reports what is wrong with the file.
  }
}
