// SQL: what is done with a journal’s file besides sending through it.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from '@photostructure/sqlite';
import { codeOf, diskTroubleOf, syncFolder } from '../../../machine/disk.ts';
import { occupantOf } from '../../../machine/wholeFile.ts';
import { Failure } from '../../failures.ts';
import { factsOf, journalFailure, type Loss } from '../failures.ts';
import { damaged, pragma, sqliteFailure } from './faults.ts';
import { openFile } from './opening.ts';
import { refuseUnusable, resolveLinks, sizeOf } from './ownFiles.ts';

/** What a journal has lost, if anything. Changes nothing. */
export function findLoss(givenPath: string): Loss | undefined {
  const path = resolveLinks(givenPath);
  if (![path, `${path}-wal`, `${path}.note`].some((one) => existsSync(one)))
    throw journalFailure('no-journal', { path });
  try {
    const { database, refused } = openFile(path, 'look');
    database.close();
    return factsOf(refused, 'lost')?.loss;
  } catch (error) {
    const lost = factsOf(error, 'lost');
    if (lost === undefined) throw error;
    return lost.loss;
  }
}

/** Refuses a file in which SQLite’s own check finds a fault. Opening reads only a part of it. */
export function refuseDamage(givenPath: string): void {
  const path = resolveLinks(givenPath);
  refuseUnusable(path);
  try {
    // If the database is an empty file, SQLite would delete its log, with all that was sent last.
    if (sizeOf(path) === 0) return;
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      if (pragma(database, 'quick_check(1)') !== 'ok') throw damaged(path);
    } finally {
      database.close();
    }
  } catch (error) {
    throw sqliteFailure(error, path);
  }
}

/**
 * Records the loss, and forgets what was noted. What was lost stays lost: the same commands would be new ones. A log
 * without its database, which SQLite would delete, is kept for later investigation, and returned.
 */
export function acceptLoss(givenPath: string, loss: Loss, who: string, atMs: number): string | undefined {
  const path = resolveLinks(givenPath);
  const log = `${path}-wal`;
  const keptLog = loss.isGone && existsSync(log) ? `${log}.lost` : undefined;
  if (keptLog !== undefined) renameSync(log, keptLog);
  // An empty file may stay: one that is mounted cannot go.
  if (loss.isGone && sizeOf(path) > 0) rmSync(path);
  const { database, note } = openFile(path, 'accept-loss');
  try {
    database.exec('BEGIN IMMEDIATE');
    database
      .prepare(/* sql */ 'INSERT INTO losses (who, at, detail) VALUES (?, ?, ?)')
      .run(who, atMs, JSON.stringify(loss));
    database.exec('COMMIT');
    note.forget();
  } catch (error) {
    throw sqliteFailure(error, path);
  } finally {
    database.close();
  }
  return keptLog;
}

/** How many entries and requests a copy has. */
type RowCounts = { readonly entries: number; readonly attempts: number };

/** Copies a journal that may be in use into a new file. */
export async function backUp(givenPath: string, target: string): Promise<RowCounts> {
  const path = resolveLinks(givenPath);
  if (sizeOf(path) === 0) throw journalFailure('no-journal', { path });
  const there = [target, `${target}-wal`].find((one) => occupantOf(one) !== 'nothing');
  if (there !== undefined) throw journalFailure('backup-there', { path: there });
  const { database, refused } = openFile(path, 'look');
  try {
    if (factsOf(refused, 'lost') !== undefined) throw refused;
    makeEmpty(target);
    try {
      await backup(database, target, { rate: pagesAtOnce });
      sync(target);
    } catch (error) {
      for (const end of ['', '-shm', '-wal']) rmSync(`${target}${end}`, { force: true });
      throw error;
    }
    return database.prepare(counts).get() as RowCounts;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw journalFailure('backup-not-made', { path: target, trouble: diskTroubleOf(error) }, error);
  } finally {
    database.close();
  }
}

const counts = /* sql */ `SELECT (SELECT count(*) FROM entries) AS entries,
  (SELECT count(*) FROM attempts) AS attempts`;

/** Refuses what another process has made in the meantime. */
function makeEmpty(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? journalFailure('backup-there', { path }) : error;
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
