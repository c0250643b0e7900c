import { expect, test } from 'vitest';
import { unitsOf } from '../../src/once/entry/amount.ts';
import { openFile } from '../../src/once/journal/file/opening.ts';
import { dayMs } from '../../src/policy/policy.ts';
import { done, newPath, nowMs, opened } from '../support/journals.ts';
import { describeSpending, people } from './spendingModel.ts';

describeSpending(
  'in SQLite',
  {
    newPlace: async () => newPath(),
    open: async (path) => opened(path),
    declareDead: async (path, owner) => {
      const { database } = openFile(path);
      const sending = '(SELECT seq FROM entries WHERE owner = :owner)';
      const died = `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 1`;
      database.prepare(`${died} WHERE verdict IS NULL AND entry IN ${sending}`).run({ owner });
      database
        .prepare(`UPDATE entries SET state = 'unknown', owner = NULL WHERE owner = :owner`)
        .run({ owner });
      database.close();
    },
  },
  Number(process.env.BOTCTL_RUNS ?? 100),
);

test('in SQLite: a damaged payment that is too old to count stops nothing', async () => {
  const journal = opened();
  const paid = { kind: 'transfer', payment: JSON.stringify([people[0], 'sol', '2']) } as const;
  await done(journal, 'accepted', { ...paid, payment: 'damaged' }, nowMs - 2 * dayMs);
  await done(journal, 'accepted', paid);
  expect(await journal.spending('SOL', nowMs - dayMs)).toEqual({ units: unitsOf('2') });
});
