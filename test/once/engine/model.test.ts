import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BaseUrl } from '../../../src/once/entry/baseUrl.ts';
import { type History, histories, type Step, urls } from './model/steps.ts';
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

const hourMs = 3_600_000;
const passing = (hours: number): Step => ({ is: 'time-passes', ms: hours * hourMs });
const life = { death: undefined, rule: undefined, by: 'ada@here' };
const lost = { ...life, fates: ['lost-undone', 'lost-undone', 'lost-undone'] } as const;
const answered = { ...life, fates: ['answered'] } as const;
const paying = (command: number, fates: typeof lost | typeof answered): Step => ({
  ...fates,
  ...{ is: 'run', command, url: urls[0] as BaseUrl, token: 'token-1', told: true },
  ...{ proposes: false, nodeLagMs: undefined },
});
const sendingAgain: Step = { ...answered, is: 'resume', which: 0, isLate: false, sendAgain: true };

test.each<[string, Step[], Step, number]>([
  ['and 11 hours later not besides', [passing(21), sendingAgain, sendingAgain], passing(11), 1],
  ['and 13 hours later besides', [passing(21), sendingAgain, sendingAgain], passing(13), 2],
  [
    'after a person said that it had not happened',
    [passing(2), { is: 'resolve', which: 0, isLate: false, rightly: true }, paying(3, answered)],
    passing(13),
    2,
  ],
])('keeps the promise where a payment was made late, %s', async (_what, late, then, accepted) => {
  const parsed: History['parsed'] = {
    repeatedTransfer: 'replay',
    repeatedMessage: 'replay',
    memory: 'for-ever',
  };
  const steps = [paying(3, lost), ...late, then, paying(6, answered)];
  const world = await World.begin({ parsed, steps }, folder);
  try {
    for (const step of steps) await world.take(step);
    const { journal } = world.scripted.engine();
    expect(await journal.reads.stateCounts()).toMatchObject({ accepted });
  } finally {
    await world.close();
  }
});
