import { setTimeout as sleep } from 'node:timers/promises';

/** Time, as an interface that tests replace. */
export interface Clock {
  now(): number;
  /** Resolves after `waitMs`, or at once when `signal` aborts. */
  sleep(waitMs: number, signal?: AbortSignal): Promise<void>;
}

// Node fires a longer timer at once. Callers that wait longer check the clock again.
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

// Node creates 128 UUIDs in advance. That is slower for a command that needs one or two.
function uuid(): string {
  uuidsMade += 1;
  return process.getBuiltinModule('node:crypto').randomUUID({ disableEntropyCache: uuidsMade <= fewUuids });
}

export const systemChance: Chance = { fraction: Math.random, uuid };

/** The first signal means: start nothing new, let requests in flight finish. The second: leave now. */
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

/** Lets the event loop do pending reads and writes. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Bytes that arrive on an idle connection must not be read as the next reply. Node reads sockets once between two
 * rounds of immediates, so after two turns such bytes have been read.
 */
export function readLeftovers(): Promise<void> {
  underway ??= twoTurns();
  return underway;
}

/** Shared by all callers of one turn; a batch has many. */
let underway: Promise<void> | undefined;

async function twoTurns(): Promise<void> {
  await nextTurn();
  // A caller from here on has not waited for both turns, so it starts its own.
  underway = undefined;
  await nextTurn();
}
