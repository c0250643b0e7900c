import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type History, histories } from './model/steps.ts';
import { World } from './model/world.ts';

const given = process.env.BOTCTL_SEED;
const seed = given === undefined ? Math.floor(Math.random() * 0x7fff_ffff) : Number(given);
const numRuns = Number(process.env.BOTCTL_RUNS ?? 200);
// The journals are real; where there is a disk in memory they need not wait for the real one.
const folder = existsSync('/dev/shm') ? '/dev/shm' : undefined;

it(`keeps the promise through any history (BOTCTL_SEED=${seed})`, async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (history: History) => {
      const world = new World(history, folder);
      try {
        for (const step of history.steps) {
          await world.take(step);
          steps += 1;
        }
      } finally {
        world.close();
      }
    }),
    { seed, numRuns, endOnFailure: false, interruptAfterTimeLimit: 600_000 },
  );
  expect(steps).toBeGreaterThan(numRuns);
}, 600_000);
