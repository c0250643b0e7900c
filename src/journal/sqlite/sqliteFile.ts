import { chmodSync, closeSync, existsSync, fchmodSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Failure } from '../../errors.ts';
import { makeFolder, syncFolder } from '../../machine/disk.ts';
import { factsOf, journalFailure, type Loss } from '../facts.ts';
import { baseOf, readHeader, refuseByHeader } from './header.ts';
import { busyTimeoutMs, makeRoom, openBystander } from './log.ts';
import { accountedNumbers, checkMark, readMarkId, rowsKnownTo, writeMarkId } from './loss.ts';
import { Mark, type MarkFound, noRowNumbers } from './mark.ts';
import { migrations } from './migrations.ts';
import { movedFailure } from './moved.ts';
import { resolveLinks, sizeOf } from './ownFiles.ts';
import { setAndCheckPragmas, setUp, withSetupLock } from './setUp.ts';
import { openingFailure } from './sqliteFaults.ts';
import { refuseMounted, refuseUnusable } from './unusable.ts';
import { pragma, refuseForeign, versionsOf } from './versions.ts';

/** To close a file drops all locks that this process holds on it: what is open here is read by SQLite alone. */
const openedHere = new Set<string>();

/** What a command is about to do: whatever sends or decides needs a journal that is whole. */
export type JournalUse = 'send' | 'look';

type OpenedFile = {
  readonly path: string;
  readonly database: DatabaseSyncInstance;
  readonly mark: Mark | undefined;
  /** Only where it is opened for reading, and then the database cannot be written. */
  readonly loss: Loss | undefined;
  /** Where it was copied to: then it is open for reading only. */
  readonly movedTo?: string;
};

/** Opens the journal's file, made new or brought up to date as needed; anything odd is refused untouched. */
export function openFile(givenPath: string, use: JournalUse = 'send'): OpenedFile {
  const path = resolveLinks(givenPath);
  try {
    refuseUnusable(path);
    makeFolder(dirname(path));
    for (;;) {
      if (sizeOf(path) > 0) return openKnown(path, use);
      // Whoever waited for the lock finds what its holder made, or left half made.
      const made = withSetupLock(path, () => (sizeOf(path) > 0 ? undefined : openNew(path)));
      if (made !== undefined) return made;
    }
  } catch (error) {
    throw openingFailure(error, path);
  }
}

function openKnown(path: string, use: JournalUse): OpenedFile {
  // Before the database: what is committed in between is more than the mark says, not less.
  const found = Mark.open(path, use === 'send' ? 'r+' : 'r');
  const header = openedHere.has(path) ? undefined : readHeader(path);
  refuseByHeader(path, header);
  try {
    const base = header === undefined ? undefined : baseOf(header);
    if (base !== undefined && isOlder(base, found, path)) throw lossFailure({ is: 'base' }, found, path);
    openedHere.add(path);
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
    throw error;
  }
}

/** Where there is no log beside it, it is a copy that was put there whole, and may count anew. */
function isOlder(base: number, found: MarkFound, path: string): boolean {
  return found.is === 'mark' && base < found.mark.base && sizeOf(`${path}-wal`) > 0;
}

/** Whether the log beside a database is not its own: laid over it, it would make one that never was. */
export function isOlderThanLog(path: string, found: MarkFound): boolean {
  // Whoever has it open has found that it is not.
  return sizeOf(path) > 0 && !openedHere.has(path) && isOlder(baseOf(readHeader(path)), found, path);
}

/** What is left of a journal that lost something, to be read and not to be written. */
function openRest(path: string, loss: Loss): OpenedFile {
  // SQLite reads no log beside what it is told never changes.
  const location = loss.is === 'base' ? `${pathToFileURL(path).href}?immutable=1` : path;
  const database = new DatabaseSync(location, { timeout: busyTimeoutMs, readOnly: true });
  refuseForeign(versionsOf(database), path);
  return { path, database, mark: undefined, loss };
}

/** A journal that was copied elsewhere, to be read as it was then. */
function openMoved(path: string, movedTo: string): OpenedFile {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly: true });
  return { path, database, mark: undefined, loss: undefined, movedTo };
}

/** Opens what is left of a journal, or makes it new, under the lock of whoever sets journals up. */
export function openToRepair<Result>(path: string, work: (database: DatabaseSyncInstance) => Result): Result {
  if (sizeOf(path) > 0) openBystander(path);
  else makePrivate(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
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
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    return { path, database, mark: work(database), loss: undefined };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A journal that somebody emptied or took away is not new: what was sent is not known any more. */
function refuseLeftovers(path: string): void {
  const found = Mark.open(path, 'r');
  if (found.is === 'mark') found.mark.close();
  const isMarked = found.is !== 'missing';
  if (!isMarked && sizeOf(`${path}-wal`) === 0 && !(existsSync(path) && existsSync(`${path}.owners`))) return;
  const loss: Loss = { is: 'journal', found: 'gone', rows: rowsKnownTo(found) };
  throw journalFailure('lost', { path, loss });
}

/** Refuses before anything is written what is foreign, newer, or has lost something. */
function prepare(database: DatabaseSyncInstance, path: string, found: MarkFound): Mark {
  const versions = versionsOf(database);
  refuseForeign(versions, path);
  const isMade = versions.version > 0;
  const moved = isMade ? movedFailure(database, path) : undefined;
  if (moved !== undefined) throw moved;
  const note = isMade ? readMarkId(database) : undefined;
  const mark = wholeMark(database, path, found, note);
  // The log and the shared memory take the mode of the database.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  if (versions.version < migrations.length || pragma(database, 'journal_mode') !== 'wal') {
    withSetupLock(path, () => setUp(database, path));
  }
  setAndCheckPragmas(database);
  // Its set-up was killed before it had a mark; two may come at once.
  return mark ?? withSetupLock(path, () => finishedMark(database, path));
}

/** The mark of a journal that holds all of what it says; else the loss is thrown, before anything is written. */
function wholeMark(
  database: DatabaseSyncInstance,
  path: string,
  found: MarkFound,
  note: string | undefined,
): Mark | undefined {
  const checked = checkMark(found, note, note === undefined ? noRowNumbers : accountedNumbers(database));
  if (checked === undefined || checked instanceof Mark) return checked;
  // Whoever sets it up, or accepts a loss, may be in the middle of it, or was killed there.
  if (checked.is === 'mark') return withSetupLock(path, () => finishedMark(database, path));
  throw lossFailure(checked, found, path);
}

/** With what another process may have done meanwhile, under the lock that it did it under. */
function finishedMark(database: DatabaseSyncInstance, path: string): Mark {
  const note = readMarkId(database);
  if (note !== undefined) Mark.adoptDraft(path, note);
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
 * The mark is on the disk before the journal says that there must be one, and in its place after that; then the
 * note is moved from the log into the database, which could be copied alone.
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
