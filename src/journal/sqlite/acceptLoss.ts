import { copyFileSync, existsSync, renameSync } from 'node:fs';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { factsOf, journalFailure, type Loss, type LostRows } from '../facts.ts';
import { accountedNumbers, lostRows, writeMarkId } from './loss.ts';
import { highestOf, Mark, noRowNumbers } from './mark.ts';
import { resolveLinks } from './ownFiles.ts';
import { withSetupLock } from './setUp.ts';
import { adoptMark, isOlderThanLog, openFile, openToRepair } from './sqliteFile.ts';
import { refuseMounted, refuseUnusable } from './unusable.ts';

/** What a journal has lost, if anything. Nothing is made or changed. */
export function findLoss(givenPath: string): Loss | undefined {
  const path = resolveLinks(givenPath);
  refuseUnusable(path);
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

export type AcceptedLoss = {
  readonly rows: readonly LostRows[];
  /** The log as it was, where there was one: kept for whoever wants to look into it. */
  readonly keptLog: string | undefined;
};

/**
 * Records the missing numbers, so that counting goes on above them, and gives the journal a new mark. What was
 * lost stays lost: the same commands would be new ones.
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

/** SQLite writes over what it cannot read of a log, and deletes one that has no database. */
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
    'INSERT INTO losses (what, first_lost, last_lost, who, at) VALUES (?, ?, ?, ?, ?)',
  );
  database.exec('BEGIN IMMEDIATE');
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
