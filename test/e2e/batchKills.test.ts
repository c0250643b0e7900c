import { expect, test } from 'vitest';
import { batchThroughKills } from '../../testing/batchKills.ts';

// The long form is `npm run bench -- batchKills`: 20,000 rows of each kind.
test.each(['send', 'transfer'] as const)(
  'every row of batch %s happens once, through faults and kill -9',
  async (kind) => {
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    const report = await batchThroughKills({
      kind,
      rows: 120,
      seed: 'slice',
      kills: 2,
      faultRate: 0.05,
      say,
    });
    expect(report.problems, said.join('\n')).toEqual([]);
    expect(report.inDoubt.some((rows) => rows > 0)).toBe(true);
  },
);
