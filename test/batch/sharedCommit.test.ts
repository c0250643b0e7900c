import { expect, test } from 'vitest';
import { sharedCommit } from '../../src/batch/sharedCommit.ts';

/** A journal that only counts its commits, and undoes what a failed one did. */
function countingJournal() {
  const journal = {
    commits: 0,
    kept: [] as string[],
    atomically<Result>(work: () => Result): Result {
      const before = [...journal.kept];
      try {
        const result = work();
        journal.commits += 1;
        return result;
      } catch (error) {
        journal.kept = before;
        throw error;
      }
    },
  };
  return journal;
}

test('what is asked for in one turn shares one commit, and each gets its own answer', async () => {
  const journal = countingJournal();
  const commit = sharedCommit(journal);
  const answers = await Promise.all([1, 2, 3].map((count) => commit(() => count * 10)));
  expect(answers).toEqual([10, 20, 30]);
  expect(journal.commits).toBe(1);
});

test('nobody is answered before the commit is durable', async () => {
  const journal = countingJournal();
  const commit = sharedCommit(journal);
  await commit(() => journal.kept.push('first'));
  expect(journal.commits).toBe(1);
  await commit(() => journal.kept.push('second'));
  expect(journal.commits).toBe(2);
});

test('one that fails fails alone, and its neighbours are done once', async () => {
  const journal = countingJournal();
  const commit = sharedCommit(journal);
  const [one, two, three] = await Promise.allSettled([
    commit(() => journal.kept.push('one')),
    commit((): number => {
      journal.kept.push('two');
      throw new Error('cannot');
    }),
    commit(() => journal.kept.push('three')),
  ]);
  expect([one?.status, two?.status, three?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(journal.kept).toEqual(['one', 'three']);
});

test('a commit that cannot be made fails for all of them', async () => {
  const commit = sharedCommit({
    atomically: () => {
      throw new Error('the disk is full');
    },
  });
  const both = await Promise.allSettled([commit(() => 1), commit(() => 2)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
