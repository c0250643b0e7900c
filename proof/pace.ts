import { pbkdf2 } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
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

const derive = promisify(pbkdf2);

/**
 * Beats until it is stopped, beside the proof's own thread: a rest, then 20 ms of a processor and a few bytes to the
 * disk. What is measured is how late a beat ends.
 */
export async function startPace(): Promise<Pace & { stop(): Promise<void> }> {
  const path = join(tmpdir(), `botctl-proof-pace-${process.pid}`);
  const file = await open(path, 'w');
  await rm(path);
  let begunAtMs = Date.now();
  let lastLateAtMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  const isLate = (): boolean => Date.now() - begunAtMs > restMs + slowMs;
  const beating = (async () => {
    while (!isStopped) {
      begunAtMs = Date.now();
      await after(restMs);
      await derive('', '', 60_000, 32, 'sha256');
      await file.write('beat', 0);
      await file.datasync();
      if (isLate()) lastLateAtMs = Date.now();
    }
    await file.close();
  })();
  return {
    watch: () => {
      const sinceMs = Date.now();
      // A beat that is still to end may be late already.
      return { isSlow: () => lastLateAtMs >= sinceMs || isLate() };
    },
    stop: () => {
      isStopped = true;
      return beating;
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
    tally.slowPlays += 1;
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
    tally.slowPlays += 1;
    if (plays < mostPlays) continue;
    tally.tooSlow.push(own.findings[0]?.where ?? '');
    return result;
  }
}
