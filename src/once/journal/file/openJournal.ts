import { createHash } from 'node:crypto';
import { factsOf, journalFailure } from '../facts.ts';
import type {
  Gathering,
  GuardedWork,
  Intent,
  Journal,
  JournalForMany,
  Reads,
  Transaction,
} from '../journal.ts';
import { lastRemembered } from '../rows.ts';
import { type Mark, markPath } from './mark.ts';
import { type JournalUse, openFile, readSalt } from './opening.ts';
import { Owners, OwnFiles } from './ownFiles.ts';
import { type Read, readVerbs } from './readVerbs.ts';
import { type Ask, askBy } from './statements.ts';
import { Store } from './store.ts';
import { spendingReads, spendingWrites, writeVerbs } from './writeVerbs.ts';

/** Opens the journal at `path`, and creates it if there is none. */
export function openJournal(path: string, use: JournalUse = 'send', clock: Journal['clock'] = Date): Journal {
  const { path: file, database, mark, loss, movedTo } = openFile(path, use);
  const store = new Store(database, path, mark);
  const owners = new Owners(file);
  const files = store.guard(() => new OwnFiles(filesOf(file, mark)));
  const salt = store.guard(() => readSalt(database));
  const self = (): string => store.guard(() => owners.self());
  const reads = (read: Read, ask: Ask): Reads => ({
    ...readVerbs(store, owners, read, ask),
    ...spendingReads(store, read),
  });
  const readsBy = (gathering?: Gathering): Reads => {
    const ask = askBy((name, items) => store.read(() => store.ask(name, items)), gathering);
    return reads((read) => store.read(read), ask);
  };
  const started = new Map<string, Intent>();
  const commitsBy = (gathering?: Gathering): Journal['commit'] => {
    const ask = askBy((name, items) => store.ask(name, items), gathering);
    const tx: Transaction = {
      ...reads(async (read) => store.guard(read), ask),
      ...writeVerbs(store, owners, self, started, ask),
      ...spendingWrites(store),
    };
    return (work, { unsynced = false } = {}) => store.commit(() => work(tx), unsynced);
  };
  const journal: Journal = {
    place: path,
    id: undefined,
    lost: loss && journalFailure('lost', { path, loss }),
    movedTo,
    isReadOnly: loss !== undefined || movedTo !== undefined,
    isShared: false,
    clock,
    reads: readsBy(),
    self,
    trouble: () => {
      const found = store.guard(() => files.trouble(store.commits, Date.now()));
      return found && { is: 'files', failure: journalFailure('taken-away', found) };
    },
    askOwner: async (owner) => owners.ask(owner),
    isAsked: async () => owners.isAsked(),
    // If this disk cannot take it into the journal, it cannot take it into another file either.
    keepForLater: () => undefined,
    commit: commitsBy(),
    forMany: (gathering) => {
      const commit = commitsBy(gathering);
      const together: JournalForMany['commitTogether'] = (works) => commitTogether(works, commit, gathering);
      return { ...journal, reads: readsBy(gathering), commitTogether: together };
    },
    shares: undefined,
    policy: async () => undefined,
    hashOf: lastRemembered((token) => createHash('sha256').update(salt).update(token).digest('hex')),
    close: async () => {
      owners.close();
      store.close();
      mark?.close();
    },
  };
  return journal;
}

async function commitTogether<Result>(
  works: readonly GuardedWork<Result>[],
  commit: Journal['commit'],
  gathering: Gathering,
): Promise<readonly PromiseSettledResult<Result>[]> {
  const all = (some: readonly GuardedWork<Result>[]): Promise<readonly PromiseSettledResult<Result>[]> =>
    commit(async (tx) => {
      const ends = await Promise.allSettled(gathering.inTurn(some, ({ work }) => work(tx)));
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return ends;
    });
  try {
    return await all(works);
  } catch (reason) {
    // A work that fails must not take its neighbours with it: each tries again alone, on what was rolled back. What is
    // committed nevertheless must not run again.
    if (works.length === 1 || factsOf(reason, 'mark-not-writable') !== undefined)
      return works.map(() => ({ status: 'rejected', reason }));
    const alone = await Promise.allSettled(works.map((one) => all([one])));
    return alone.flatMap((end) => (end.status === 'fulfilled' ? end.value : [end]));
  }
}

function filesOf(path: string, mark: Mark | undefined): string[] {
  return mark === undefined ? [path] : [path, `${path}-wal`, markPath(path)];
}
