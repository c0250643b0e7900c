import { setTimeout as sleep } from 'node:timers/promises';

/** Time, so that tests can hold it in their hands. */
export interface Clock {
  now(): number;
  /** Resolves after `waitMs`, or at once when `signal` aborts. */
  sleep(waitMs: number, signal?: AbortSignal): Promise<void>;
}

// A longer timer of Node would fire at once. A caller that waits longer looks at the clock again.
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  sleep: async (waitMs, signal) => {
    const timer = sleep(Math.min(waitMs, longestTimerMs), undefined, signal === undefined ? {} : { signal });
    await timer.catch(() => {});
  },
};
