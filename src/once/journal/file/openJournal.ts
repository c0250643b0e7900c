import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { factsOf, journalFailure } from '../failures.ts';
import type { Journal } from '../journal.ts';
import { Store } from '../store.ts';
import { FileBase } from './base.ts';
import { type JournalUse, openFile } from './opening.ts';
import { OwnFiles, ProcessOwners } from './ownFiles.ts';
import { damaged } from './sqliteErrors.ts';

/** Opens the journal at `path`, and creates it if it does not exist. */
export function openJournal(
  path: string,
  use: JournalUse = 'send',
  clock: Journal['clock'] = Date,
  isInterrupted?: () => boolean,
): Journal {
  const { path: file, database, note, refused } = openFile(path, use);
  const owners = new ProcessOwners(file);
  const base = new FileBase(database, file, owners);
  const store = new Store(base, note, isInterrupted);
  const files = new OwnFiles([
    file,
    ...(refused === undefined && existsSync(`${file}-wal`) ? [`${file}-wal`] : []),
  ]);
  const [salt] = base.guard(() =>
    database.prepare(/* sql */ `SELECT value FROM meta WHERE name = 'salt'`).all(),
  );
  if (!(salt?.value instanceof Uint8Array)) throw damaged(path);
  const { value } = salt;
  const hashes = new Map<string, string>();
  // Checked once after each commit. Otherwise a batch's row would check six times, which takes 28 µs.
  let isWhole = false;
  const lookAfter = <Result>(committed: Promise<Result>): Promise<Result> =>
    committed.finally(() => {
      isWhole = false;
    });
  return {
    place: path,
    id: undefined,
    lost: factsOf(refused, 'lost') && refused,
    isNoted: note.noted().length > 0,
    isReadOnly: refused !== undefined,
    isShared: false,
    clock,
    reads: store.reads,
    self: base.owners.self,
    trouble: (isLast = false) => {
      if (isWhole && !isLast) return undefined;
      const trouble = base.guard(() => files.trouble());
      isWhole = trouble === undefined;
      return trouble && journalFailure('taken-away', trouble);
    },
    commit: (work, guards) => lookAfter(store.commit(work, guards)),
    commitTogether: (works) => lookAfter(store.commitTogether(works)),
    hashOf: (token) => {
      const hash = hashes.get(token) ?? createHash('sha256').update(value).update(token).digest('hex');
      hashes.set(token, hash);
      return hash;
    },
    close: async () => {
      owners.close();
      base.close();
      note.close();
    },
  };
}
