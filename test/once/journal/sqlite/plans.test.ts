// However many entries a journal in a file has, it is asked by indexes: whole tables are read for overviews alone.
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { expect, test, vi } from 'vitest';
import { type JournalInHand, newPath, opened } from '../../../support/journals.ts';
import { fewChanged, fill, indexed, inFile } from '../contract/questions.ts';

let steps: string[] = [];
vi.mock(import('@photostructure/sqlite'), async (original) => {
  const real = await original();
  class Explained extends real.DatabaseSync {
    override prepare(sql: string): ReturnType<DatabaseSyncInstance['prepare']> {
      if (/^\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE)\b/u.test(sql)) {
        const plan = super.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
        steps.push(...plan.map(({ detail }) => detail));
      }
      return super.prepare(sql);
    }
  }
  return { ...real, DatabaseSync: Explained as typeof real.DatabaseSync };
});

/** What each of them lets SQLite do in a journal that was opened for it, triggers included. */
async function stepsOf(path: string, work: (journal: JournalInHand) => Promise<unknown>): Promise<string[]> {
  const journal = opened(path);
  steps = [];
  await work(journal);
  const done = [...new Set(steps)];
  await journal.close();
  return done;
}

// All transfers are most of the entries.
const wholeTable =
  /^SCAN (?:entries|attempts|decisions|observations|batches|receipts)(?! USING (?:COVERING )?INDEX)|entries_kind \(kind=\?\)$/u;

test('no question and no change reads a whole table', async () => {
  const path = newPath();
  await stepsOf(path, async (journal) => {
    await fill(journal);
  });
  const found: string[] = [];
  for (const [what, work] of [...indexed, ...fewChanged, ...inFile])
    found.push(
      ...(await stepsOf(path, work))
        .filter((step) => wholeTable.test(step))
        .map((step) => `${what}: ${step}`),
    );
  expect(found).toEqual([]);
});

test('what went to one address is read in its order, and not sorted again for each page', async () => {
  const paidTo = indexed.filter(([what]) => what.endsWith('to somebody'));
  const read = await stepsOf(newPath(), async (journal) => {
    for (const [, work] of paidTo) await work(journal);
  });
  expect(read.filter((step) => /ORDER BY|SCAN/u.test(step))).toEqual([]);
});

test('an equal payment is found by the payment and its time, whatever else went to the same address', async () => {
  const [, work] = indexed.find(([what]) => what === 'an equal payment') ?? [];
  const read = (await stepsOf(newPath(), async (journal) => work?.(journal))).filter((step) =>
    step.startsWith('SEARCH entries'),
  );
  expect(read).not.toEqual([]);
  for (const step of read) expect(step).toMatch(/payment|PRIMARY KEY|rowid/u);
});

test('what was spent is asked of one index', async () => {
  const spent = await stepsOf(newPath(), (journal) => journal.spending('SOL', 0));
  expect(spent.filter((step) => /\bentries\b/u.test(step))).toEqual([
    expect.stringContaining('SEARCH entries USING INDEX entries_spent (asset=? AND tried_at>?)'),
  ]);
});
