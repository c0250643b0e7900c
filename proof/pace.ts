import { pbkdf2 } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, systemClock } from '../src/machine/process.ts';
import type { Ran } from './run.ts';
import { Tally } from './tally.ts';
import { ranOutOfTime } from './told.ts';

/** Whether this machine was too slow at any moment since the watch began. */
export type Pace = { watch(): { isSlow(): boolean } };

const restMs = 200;

/**
 * On the journal with the shortest lease a command has 750 ms from its commit to its request. A beat is about the same
 * work. When it takes half of that time, a command may be late, and is not to blame.
 */
const slowMs = 375;

/** Beats until it is stopped. A beat is a rest and a piece of work; what is measured is how late it ends. */
export function startPace(work: () => Promise<void>, clock: Clock = systemClock) {
  let begunAtMs = clock.now();
  let lastLateAtMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  const isLate = (): boolean => clock.now() - begunAtMs > restMs + slowMs;
  const beat = async (): Promise<void> => {
    begunAtMs = clock.now();
    await clock.sleep(restMs);
    await work();
    if (isLate()) lastLateAtMs = clock.now();
  };
  const beating = (async () => {
    while (!isStopped) await beat();
  })();
  return {
    watch: () => {
      const sinceMs = clock.now();
      // A beat that is still to end may be late already.
      return { isSlow: () => lastLateAtMs >= sinceMs || isLate() };
    },
    stop: () => {
      isStopped = true;
      return beating;
    },
  };
}

const derive = promisify(pbkdf2);

/** Beside the proof's own thread: 20 ms of a processor, and a few bytes to the disk. */
export async function startPaceOfMachine(): Promise<Pace & { stop(): Promise<void> }> {
  const path = join(tmpdir(), `botctl-proof-pace-${process.pid}`);
  const file = await open(path, 'w');
  await rm(path);
  const pace = startPace(async () => {
    await derive('', '', 60_000, 32, 'sha256');
    await file.write('beat', 0);
    await file.datasync();
  });
  return {
    watch: pace.watch,
    stop: async () => {
      await pace.stop();
      await file.close();
    },
  };
}

const mostPlays = 3;

/** The command; the same again, which is always right, where it ran out of time on a slow machine. */
export async function inTime(pace: Pace, tally: Tally, run: () => Promise<Ran>): Promise<Ran> {
  for (let plays = 1; ; plays += 1) {
    const watch = pace.watch();
    const ran = await run();
    if (plays === mostPlays || !ranOutOfTime(ran) || !watch.isSlow()) return ran;
    tally.slowPlay();
  }
}

/**
 * Plays a case, and plays it again if it was too slow to judge: commands ran out of time, nothing else went wrong, and
 * the machine was slow meanwhile. Anything else that went wrong counts at any pace.
 */
export async function playAtPace<Result>(
  pace: Pace,
  tally: Tally,
  play: (own: Tally) => Promise<Result>,
): Promise<Result> {
  for (let plays = 1; ; plays += 1) {
    const own = new Tally(tally.technique);
    const watch = pace.watch();
    const result = await play(own);
    if (!own.isOnlyLate || !watch.isSlow()) {
      tally.add(own);
      return result;
    }
    tally.slowPlay();
    if (plays < mostPlays) continue;
    tally.slowCase(own.findings[0]?.where ?? '');
    return result;
  }
}
