import { expect, test } from 'vitest';
import type { BatchPlan, Row } from '../../../src/batch/plan.ts';
import { progressOf } from '../../../src/cli/commands/batch/tell.ts';

test('a batch shows what is done, how fast, how long it still takes, and what failed', () => {
  const outcomes = ['done', 'done', 'done', 'rejected'] as const;
  const rows = Array.from({ length: 2004 }, (_, at) => ({ outcome: outcomes[at] })) as Row[];
  const plan = { rows, counts: { done: 1, invalid: 1 } as BatchPlan['counts'] };
  expect(progressOf(plan, 0)).toBe('3/2,002 done, 1 failed');
  expect(progressOf(plan, 2000)).toBe('3/2,002 done, 2.0/s, 16 min 39 s left, 1 failed');
  rows.push({ outcome: 'unknown' } as Row);
  expect(progressOf(plan, 1000)).toMatch(/5\.0\/s, .* left, 1 failed, 1 unknown$/u);
});
