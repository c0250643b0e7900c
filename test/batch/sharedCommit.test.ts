import { expect, test } from 'vitest';
import { sharedCommit } from '../../src/batch/commitQueue.ts';
import type { GuardedWork, Guards, Journal, Transaction } from '../../src/once/journal/journal.ts';

/** A journal that only counts its commits, and does what it is given with nothing at hand. */
class CountingJournal implements Pick<Journal, 'commitTogether'> {
  readonly commits: (readonly Guards[])[] = [];

  async commitTogether<Result>(
    works: readonly GuardedWork<Result>[],
  ): Promise<PromiseSettledResult<Result>[]> {
    const ends = await Promise.allSettled(works.map(async ({ work }) => work({} as Transaction)));
    this.commits.push(works.map(({ guards }) => guards));
    return ends;
  }
}

test('what is asked for in one turn shares one commit, and each gets its own answer', async () => {
  const journal = new CountingJournal();
  const commit = sharedCommit(journal);
  const answers = await Promise.all([1, 2, 3].map((count) => commit(async () => count * 10)));
  expect(answers).toEqual([10, 20, 30]);
  expect(journal.commits).toHaveLength(1);
});

test('each comes with its own guards', async () => {
  const journal = new CountingJournal();
  const commit = sharedCommit(journal);
  await Promise.all([commit(async () => 1, { beforeSending: true }), commit(async () => 2)]);
  expect(journal.commits).toEqual([[{ beforeSending: true }, {}]]);
});

test('nobody is answered before the commit is durable', async () => {
  const journal = new CountingJournal();
  const commit = sharedCommit(journal);
  await commit(async () => 'first');
  expect(journal.commits).toHaveLength(1);
  await commit(async () => 'second');
  expect(journal.commits).toHaveLength(2);
});

test('one that fails fails alone', async () => {
  const commit = sharedCommit(new CountingJournal());
  const ends = await Promise.allSettled([
    commit(async () => 'one'),
    commit(async () => {
      throw new Error('cannot');
    }),
    commit(async () => 'three'),
  ]);
  expect(ends).toEqual([
    { status: 'fulfilled', value: 'one' },
    { status: 'rejected', reason: new Error('cannot') },
    { status: 'fulfilled', value: 'three' },
  ]);
});

test('a commit that cannot be made fails for all of them', async () => {
  const commit = sharedCommit({ commitTogether: () => Promise.reject(new Error('the disk is full')) });
  const both = await Promise.allSettled([commit(async () => 1), commit(async () => 2)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('what comes while a commit is being made shares the next one, however many turns it takes', async () => {
  const journal = new CountingJournal();
  let goOn = (): void => {};
  const slow = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const commit = sharedCommit(journal);
  const first = commit(() => slow);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const later: Promise<unknown>[] = [];
  for (let row = 0; row < 3; row += 1) {
    await turn();
    later.push(commit(async () => row));
  }
  goOn();
  await Promise.all([first, ...later]);
  expect(journal.commits.map((guards) => guards.length)).toEqual([1, 3]);
});

test('while many rows are on their way, a commit waits for what their replies ask for', async () => {
  const journal = new CountingJournal();
  let onTheirWay = 3;
  const commit = sharedCommit(journal, () => onTheirWay > 1);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const rows: Promise<unknown>[] = [];
  for (let row = 0; row < 3; row += 1) {
    onTheirWay -= 1;
    rows.push(commit(async () => row));
    if (row === 0) await turn();
  }
  await Promise.all(rows);
  expect(journal.commits.map((guards) => guards.length)).toEqual([3]);
});

test('a commit does not wait longer than a moment for replies that do not come', async () => {
  const journal = new CountingJournal();
  const commit = sharedCommit(journal, () => true);
  expect(await commit(async () => 'recorded')).toBe('recorded');
});
