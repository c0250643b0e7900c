import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Journal } from '../../src/once/journal/journal.ts';
import { commands, type History, histories, type Step } from '../once/engine/model/steps.ts';
import { type Ground, World } from '../once/engine/model/world.ts';
import { newSharedPlace, openShared } from '../support/postgres/sharedJournal.ts';

const numRuns = Number(process.env.BOTCTL_RUNS ?? 4);

/** A transfer without a name is refused before anything is asked of a shared journal. */
function isTaken(step: Step): boolean {
  if (step.is !== 'run' && step.is !== 'run-twice-at-once') return true;
  const order = commands[step.command]?.order;
  return order?.wanted.kind === 'message' || order?.naming.by !== 'nothing';
}

/** Each process opens the journal anew, on a machine that all of them share. */
async function sharedGround(): Promise<Ground> {
  const place = await newSharedPlace();
  return {
    open: () => openShared(place),
    end: (journal: Journal) => journal.close(),
    othersTurn: () => new Promise((resolve) => setTimeout(resolve, 3)),
  };
}

test('a shared journal keeps the promise through any history', async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (history: History) => {
      const world = await World.begin(history, undefined, await sharedGround());
      try {
        for (const step of history.steps.filter(isTaken)) {
          await world.take(step);
          steps += 1;
        }
      } finally {
        await world.close();
      }
    }),
    { numRuns, endOnFailure: true, interruptAfterTimeLimit: 300_000 },
  );
  expect(steps).toBeGreaterThan(numRuns);
}, 300_000);
