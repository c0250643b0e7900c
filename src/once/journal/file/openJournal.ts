import { createHash } from 'node:crypto';
import { journalFailure } from '../facts.ts';
import type { Journal } from '../journal.ts';
import { lastRemembered } from '../rows.ts';
import { Store } from '../store.ts';
import { FileBase } from './base.ts';
import { type Mark, markPath } from './mark.ts';
import { type JournalUse, openFile, readSalt } from './opening.ts';
import { OwnFiles, ProcessOwners } from './ownFiles.ts';

/** Opens the journal at `path`, and creates it if there is none. */
export function openJournal(path: string, use: JournalUse = 'send', clock: Journal['clock'] = Date): Journal {
  const { path: file, database, mark, loss, movedTo } = openFile(path, use);
  const owners = new ProcessOwners(file);
  const base = new FileBase(database, path, mark, owners);
  const store = new Store(base);
  const files = base.guard(() => new OwnFiles(filesOf(file, mark)));
  const salt = base.guard(() => readSalt(database));
  const journal: Journal = {
    place: path,
    id: undefined,
    lost: loss && journalFailure('lost', { path, loss }),
    movedTo,
    isReadOnly: loss !== undefined || movedTo !== undefined,
    isShared: false,
    clock,
    reads: store.reads,
    self: base.owners.self,
    trouble: () => {
      const found = base.guard(() => files.trouble(base.commits, Date.now()));
      return found && { is: 'files', failure: journalFailure('taken-away', found) };
    },
    askOwner: async (owner) => owners.ask(owner),
    isAsked: async () => owners.isAsked(),
    // If this disk cannot take it into the journal, it cannot take it into another file either.
    keepForLater: () => undefined,
    commit: (work, guards) => store.commit(work, guards),
    commitTogether: (works) => store.commitTogether(works),
    hashOf: lastRemembered((token) => createHash('sha256').update(salt).update(token).digest('hex')),
    close: async () => {
      owners.close();
      base.close();
      mark?.close();
    },
  };
  return journal;
}

function filesOf(path: string, mark: Mark | undefined): string[] {
  return mark === undefined ? [path] : [path, `${path}-wal`, markPath(path)];
}
