import { expect, test } from 'vitest';
import { batchThroughKills } from '../support/batchKills.ts';

// The long form: BOTCTL_ROWS=20000.
const rows = Number(process.env.BOTCTL_ROWS ?? 120);

test.each(['send', 'transfer'] as const)(
  'every row of batch %s happens once, through faults and kill -9',
  { timeout: 60_000 + 30 * rows },
  async (kind) => {
    const report = await batchThroughKills({ kind, rows });
    expect(report.problems).toEqual([]);
    expect(report.inDoubt.some((rows) => rows > 0)).toBe(true);
  },
);
