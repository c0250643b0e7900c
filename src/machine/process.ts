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

/** Random numbers for backoff, and random ids for keys. */
export interface Chance {
  /** In [0, 1). */
  fraction(): number;
  uuid(): string;
}

const fewUuids = 4;
let uuidsMade = 0;

// Node makes 128 of them ahead; a command that needs one or two is quicker without.
function uuid(): string {
  uuidsMade += 1;
  return process.getBuiltinModule('node:crypto').randomUUID({ disableEntropyCache: uuidsMade <= fewUuids });
}

export const systemChance: Chance = { fraction: Math.random, uuid };

/** The first signal means: start nothing new, let the flight land. The second: leave now. */
export interface Interrupts {
  readonly first: AbortSignal;
  readonly second: AbortSignal;
}

export function interruptsOfProcess(): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const onSignal = (): void => {
    if (first.signal.aborted) second.abort();
    first.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  return { first: first.signal, second: second.signal };
}

/** What has come, or is to go, is read and written in between. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * What came on a connection while nothing was asked must not be read as the next reply. Sockets are read once between
 * two rounds of immediates.
 */
export function readLeftovers(): Promise<void> {
  underway ??= twoTurns();
  return underway;
}

/** One for all who ask in one turn: of a batch those are many. */
let underway: Promise<void> | undefined;

async function twoTurns(): Promise<void> {
  await nextTurn();
  // Who asks from now on has not seen both.
  underway = undefined;
  await nextTurn();
}
