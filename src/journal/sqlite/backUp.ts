import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { backup, DatabaseSync } from '@photostructure/sqlite';
import { Failure } from '../../errors.ts';
import { diskTroubleOf, syncFolder } from '../../machine/disk.ts';
import { journalFailure } from '../facts.ts';
import { accountedNumbers, checkMark, readMarkId } from './loss.ts';
import { Mark, markPath, type RowNumbers } from './mark.ts';
import { resolveLinks, sizeOf } from './ownFiles.ts';
import { openFile } from './sqliteFile.ts';

/**
 * Copies a journal that may be in use into a new file, with its mark, so that the copy opens as a whole one. What it
 * holds.
 */
export async function backUp(givenPath: string, target: string): Promise<RowNumbers> {
  const path = resolveLinks(givenPath);
  if (sizeOf(path) === 0) throw journalFailure('no-journal', { path });
  const there = [target, `${target}-wal`, markPath(target)].find((one) => existsSync(one));
  if (there !== undefined) throw journalFailure('backup-there', { path: there });
  const { database, mark, loss } = openFile(path, 'look');
  try {
    if (loss !== undefined) throw journalFailure('lost', { path, loss });
    // Before the database: what is committed in between is more than the mark says, not less.
    Mark.copy(path, target);
    closeSync(openSync(target, 'wx', 0o600));
    await backup(database, target, { rate: pagesAtOnce });
    sync(target);
    return numbersOfWhole(target);
  } catch (error) {
    for (const made of [target, markPath(target), `${target}-shm`, `${target}-wal`])
      rmSync(made, { force: true });
    if (error instanceof Failure) throw error;
    throw journalFailure('backup-not-made', { path: target, trouble: diskTroubleOf(error) }, error);
  } finally {
    database.close();
    mark?.close();
  }
}

/** Looked at as it is, without the files that SQLite makes beside one that may be changed. */
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

// All: after each step that another process wrote in between it begins anew.
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
