import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { backup, DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { codeOf, type DiskTrouble, diskTroubleOf, syncFolder } from '../../../machine/disk.ts';
import { removeFile } from '../../../machine/fileLock.ts';
import { occupantOf } from '../../../machine/wholeFile.ts';
import { Failure } from '../../failures.ts';
import { factsOf, journalFailure, type Loss, type LostRows } from '../facts.ts';
import {
  accountedNumbers,
  checkMark,
  highestOf,
  lostRows,
  Mark,
  markPath,
  noRowNumbers,
  type RowNumbers,
  readMarkId,
  writeMarkId,
} from './mark.ts';
import { adoptMark, isOlderThanLog, openFile, openToRepair, withSetupLock } from './opening.ts';
import { refuseMounted, refuseUnusable, resolveLinks, sizeOf } from './ownFiles.ts';

/** What a journal has lost, if anything. Makes and changes nothing. */
export function findLoss(givenPath: string): Loss | undefined {
  const path = resolveLinks(givenPath);
  if (![path, `${path}-wal`, `${path}.mark`].some((one) => existsSync(one))) {
    throw journalFailure('no-journal', { path });
  }
  try {
    const { database, mark, loss } = openFile(path, 'look');
    database.close();
    mark?.close();
    return loss;
  } catch (error) {
    const lost = factsOf(error, 'lost');
    if (lost === undefined) throw error;
    return lost.loss;
  }
}

type AcceptedLoss = {
  readonly rows: readonly LostRows[];
  /** The log as it was, if there was one, kept for later investigation. */
  readonly keptLog: string | undefined;
};

/**
 * Records the missing numbers, so that counting continues above them, and gives the journal a new mark. What was lost
 * stays lost: the same commands would be new ones.
 */
export function acceptLoss(givenPath: string, who: string, atMs: number): AcceptedLoss {
  const path = resolveLinks(givenPath);
  refuseUnusable(path);
  refuseMounted(path);
  return withSetupLock(path, () => {
    const found = Mark.open(path, 'r');
    const marked = found.is === 'mark' ? found.mark.highest : noRowNumbers;
    if (found.is === 'mark') found.mark.close();
    const keptLog = keepLog(path, isOlderThanLog(path, found));
    return openToRepair(path, (database) => {
      const held = accountedNumbers(database);
      const rows = lostRows(marked, held);
      const id = Mark.draft(path, highestOf(marked, held));
      record(database, rows, id, who, atMs);
      adoptMark(database, path, id).close();
      return { rows, keptLog };
    });
  });
}

/** SQLite overwrites what it cannot read of a log, and deletes a log that has no database. */
function keepLog(path: string, isOfNewer: boolean): string | undefined {
  const log = `${path}-wal`;
  if (!existsSync(log)) return undefined;
  const kept = `${log}.lost`;
  if (existsSync(path) && !isOfNewer) copyFileSync(log, kept);
  else renameSync(log, kept);
  return kept;
}

function record(
  database: DatabaseSyncInstance,
  rows: readonly LostRows[],
  markId: string,
  who: string,
  atMs: number,
): void {
  const add = database.prepare(
    /* sql */ 'INSERT INTO losses (what, first_lost, last_lost, who, at) VALUES (?, ?, ?, ?, ?)',
  );
  database.exec(/* sql */ 'BEGIN IMMEDIATE');
  try {
    for (const { what, first, last } of rows) add.run(what, first, last, who, atMs);
    if (rows.length === 0) add.run('mark', null, null, who, atMs);
    writeMarkId(database, markId);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Copies a journal that may be in use into a new file, with its mark, so that the copy opens as a whole one. Returns
 * the row numbers in the copy.
 */
export async function backUp(givenPath: string, target: string): Promise<RowNumbers> {
  const path = resolveLinks(givenPath);
  if (sizeOf(path) === 0) throw journalFailure('no-journal', { path });
  const there = [target, `${target}-wal`, markPath(target)].find((one) => occupantOf(one) !== 'nothing');
  if (there !== undefined) throw journalFailure('backup-there', { path: there });
  const { database, mark, loss } = openFile(path, 'look');
  const ours: string[] = [];
  try {
    if (loss !== undefined) throw journalFailure('lost', { path, loss });
    // The mark goes first: what is committed in between is more than the mark says, not less.
    for (const one of [markPath(target), target]) {
      makeEmpty(one);
      ours.push(one);
    }
    ours.push(`${target}-shm`, `${target}-wal`);
    Mark.copy(path, target);
    await backup(database, target, { rate: pagesAtOnce });
    for (const made of [markPath(target), target]) sync(made);
    return numbersOfWhole(target);
  } catch (error) {
    for (const one of ours) rmSync(one, { force: true });
    if (error instanceof Failure) throw error;
    throw journalFailure('backup-not-made', { path: target, trouble: diskTroubleOf(error) }, error);
  } finally {
    database.close();
    mark?.close();
  }
}

/** Refuses what another process has made in the meantime. */
function makeEmpty(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? journalFailure('backup-there', { path }) : error;
  }
}

/** Reads the copy as it is. SQLite makes no files beside a database that cannot change. */
function numbersOfWhole(path: string): RowNumbers {
  const copy = new DatabaseSync(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
  try {
    const numbers = accountedNumbers(copy);
    const found = Mark.open(path, 'r');
    const checked = checkMark(found, readMarkId(copy), numbers);
    if (found.is === 'mark') found.mark.close();
    if (checked instanceof Mark || checked === undefined) return numbers;
    throw journalFailure('lost', { path, loss: checked });
  } finally {
    copy.close();
  }
}

// All pages in one step: after a step, SQLite starts again if another process wrote in between.
const pagesAtOnce = -1;

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
}

const magics: Readonly<Record<number, 'tmpfs' | 'overlay' | 'network'>> = {
  16914836: 'tmpfs',
  2240043254: 'tmpfs',
  2035054128: 'overlay',
  26985: 'network',
  4283649346: 'network',
  4266872130: 'network',
};

/** The kind of disk under a folder, if it limits how long files stay or how far locks reach. */
export function diskKind(folder: string): 'tmpfs' | 'overlay' | 'network' | undefined {
  try {
    // A large number comes as a negative one.
    return magics[statfsSync(folder).type >>> 0];
  } catch {
    return undefined;
  }
}

const diskFull: DiskTrouble = { is: 'failed', code: 'ENOSPC', said: '' };

const tried = Buffer.alloc(8192, 1);

/**
 * Why nothing could be sent with a journal there, if so. Writes and syncs as a send would, and leaves nothing behind.
 */
export function writingTrouble(path: string, isThere: boolean): DiskTrouble | undefined {
  const probe = join(dirname(path), `.botctl-doctor-${process.pid}`);
  try {
    if (isThere) closeSync(openSync(path, 'r+'));
    const file = openSync(probe, 'wx', 0o600);
    try {
      if (writeSync(file, tried) < tried.length) return diskFull;
      fsyncSync(file);
    } finally {
      closeSync(file);
      removeFile(probe);
    }
    return undefined;
  } catch (error) {
    return diskTroubleOf(error);
  }
}
