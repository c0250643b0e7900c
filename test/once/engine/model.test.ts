import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type History, histories } from './model/steps.ts';
import { World } from './model/world.ts';

const numRuns = Number(process.env.BOTCTL_RUNS ?? 100);
// The journals are real; where there is a disk in memory they need not wait for the real one.
const folder = existsSync('/dev/shm') ? '/dev/shm' : undefined;

test('keeps the promise through any history', async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (history: History) => {
      const world = await World.begin(history, folder);
      try {
        for (const step of history.steps) {
          await world.take(step);
          steps += 1;
        }
      } finally {
        await world.close();
      }
    }),
    { numRuns, endOnFailure: false, interruptAfterTimeLimit: 600_000 },
  );
  expect(steps).toBeGreaterThan(numRuns);
}, 600_000);
