import type { Clock } from '../machine/process.ts';
import type { Commit, Pace } from '../once/engine/context.ts';
import type { Kind } from '../once/intent/wanted.ts';
import type { GuardedWork, Journal, Work } from '../once/journal/journal.ts';

const firstQuietMs = 1000;
const shortestQuietMs = 250;
const longestQuietMs = 60_000;
// A limit this soon after the last one means that the last wait was too short.
const soonMs = 5000;

/** The pace after a rate limit: half of the pace before it, growing by as much again each second. */
type Slowed = { readonly perS: number; readonly morePerS: number; readonly sinceMs: number };

/** One pace for all rows: at most `--rate`, and slower after the service has limited the rate. */
export class BatchPace implements Pace {
  readonly #clock: Clock;
  readonly #mostPerS: number;
  #nextAtMs = 0;
  #quietUntilMs = 0;
  #limitsInARow = 0;
  #slowed: Slowed | undefined;
  #startedAtMs: number;
  #started = 0;

  constructor(clock: Clock, mostPerS: number = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#mostPerS = mostPerS;
    this.#startedAtMs = clock.now();
  }

  async turn(signal: AbortSignal): Promise<void> {
    for (;;) {
      const nowMs = this.#clock.now();
      const atMs = Math.max(nowMs, this.#nextAtMs, this.#quietUntilMs);
      this.#nextAtMs = atMs + 1000 / this.#perS(atMs);
      if (atMs > nowMs) await this.#clock.sleep(atMs - nowMs, signal);
      if (signal.aborted) return;
      // A limit that arrived meanwhile also applies to requests that already had their turn.
      if (this.#quietUntilMs <= this.#clock.now()) break;
    }
    this.#started += 1;
  }

  limited(retryAfterMs: number | undefined): void {
    const nowMs = this.#clock.now();
    // Requests that were under way when the wait began report the same limit.
    if (nowMs < this.#quietUntilMs) {
      if (retryAfterMs !== undefined) this.#quietFor(retryAfterMs, nowMs);
      return;
    }
    this.#limitsInARow = nowMs - this.#quietUntilMs < soonMs ? this.#limitsInARow + 1 : 0;
    this.#slowDown(nowMs);
    this.#quietFor(retryAfterMs ?? Math.min(longestQuietMs, firstQuietMs * 2 ** this.#limitsInARow), nowMs);
  }

  #quietFor(waitMs: number, nowMs: number): void {
    this.#quietUntilMs = Math.max(this.#quietUntilMs, nowMs + Math.max(shortestQuietMs, waitMs));
    this.#nextAtMs = this.#quietUntilMs;
    if (this.#slowed !== undefined) this.#slowed = { ...this.#slowed, sinceMs: this.#quietUntilMs };
    this.#startedAtMs = this.#quietUntilMs;
    this.#started = 0;
  }

  #slowDown(nowMs: number): void {
    const wentPerS = (1000 * this.#started) / Math.max(1000, nowMs - this.#startedAtMs);
    const beforePerS = this.#slowed === undefined ? Math.min(wentPerS, this.#mostPerS) : this.#perS(nowMs);
    const perS = Math.max(1, beforePerS / 2);
    this.#slowed = { perS, morePerS: Math.max(1, perS), sinceMs: nowMs };
  }

  #perS(atMs: number): number {
    if (this.#slowed === undefined) return this.#mostPerS;
    const { perS, morePerS, sinceMs } = this.#slowed;
    return Math.min(this.#mostPerS, perS + (morePerS * Math.max(0, atMs - sinceMs)) / 1000);
  }
}

/** How many rows are worked on at a time: in flight, waiting for a place, or being recorded. */
export type Lanes = {
  readonly count: number;
  /** Rows may be claimed before there is room for their requests. */
  readonly isAhead: boolean;
};

// A value of 4 makes twice as many commits and costs 5 % more CPU for each row.
const lanesAPlace = 16;
const mostAhead = 256;

/**
 * Claiming ahead keeps the service busy while the journal commits, and makes commits fewer and larger. But a kill
 * leaves these claims in doubt, and a message can be resent under its key for a day, a transfer for only half an hour.
 * So transfers are not claimed ahead, and neither are rows that a slow pace would hold back.
 */
export function lanesFor(kind: Kind, concurrency: number, ratePerS: number | undefined): Lanes {
  const isAhead = kind === 'message' && ratePerS === undefined;
  const count = Math.min(lanesAPlace * concurrency, mostAhead);
  return { isAhead, count: isAhead ? Math.max(count, concurrency) : concurrency };
}

const whileOthersAreSentMs = 10;
const untilOthersLandMs = 2;

/**
 * How long a commit waits so that more rows can share it. A commit to a file blocks this process, so it waits while
 * other rows can still be sent; a server commits meanwhile. If none are left to send, the commit waits for rows in
 * flight, until at most half of the places are taken (in a file, a quarter). For transfers, sharing a commit among a
 * third more rows saves a tenth of the server's work, and in a file 4 % of CPU for each row.
 */
export function worthWaitingMs({ waiting, inFlight, places }: InFlightLimit, isShared: boolean): number {
  if (waiting > 0) return isShared ? 0 : whileOthersAreSentMs;
  return inFlight > places / (isShared ? 2 : 4) ? untilOthersLandMs : 0;
}

/** Frees one place. Calling it again does nothing. */
export type Leave = () => void;

/** Limits how many requests are in flight. Claimed rows wait here, first come, first served, until sending stops. */
export class InFlightLimit {
  readonly places: number;
  readonly #stopped: AbortSignal;
  readonly #waiting: ((leave: Leave | undefined) => void)[] = [];
  #free: number;

  constructor(places: number, stopped: AbortSignal) {
    this.places = places;
    this.#free = places;
    this.#stopped = stopped;
    stopped.addEventListener('abort', () => this.turnAway(), { once: true });
  }

  get inFlight(): number {
    return this.places - this.#free;
  }

  /** Rows that are claimed but not in flight yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits for a place. Resolves to a function that frees it, or to undefined if nothing more will be sent. */
  async enter(): Promise<Leave | undefined> {
    if (this.#stopped.aborted) return undefined;
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return this.#leaving();
  }

  #leaving(): Leave {
    let isIn = true;
    return () => {
      if (isIn) this.#makeRoom();
      isIn = false;
    };
  }

  #makeRoom(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next(this.#leaving());
  }

  /** Ends all waits that are pending now without giving them a place. */
  turnAway(): void {
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }
}

type Queued = GuardedWork<unknown> & {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
};

/**
 * Work queued in the same turn of the event loop shares one durable commit. So does work queued while an earlier commit
 * is running, or while `worthWaitingMs` says that waiting for more pays.
 */
export function sharedCommit(
  journal: Pick<Journal, 'commitTogether'>,
  worthWaitingMs: () => number = () => 0,
): Commit {
  let queue: Queued[] = [];
  let isBusy = false;
  let later: NodeJS.Timeout | undefined;
  const flush = async (): Promise<void> => {
    const queued = queue;
    queue = [];
    await commitAll(queued, journal);
    // The rows just committed queue their next work in this turn, so that work can share the next commit.
    setImmediate(() => {
      isBusy = false;
      if (queue.length > 0) flushInTime();
    });
  };
  const flushNow = (): void => {
    clearTimeout(later);
    later = undefined;
    isBusy = true;
    setImmediate(() => void flush());
  };
  const flushInTime = (): void => {
    const waitMs = worthWaitingMs();
    if (waitMs === 0) flushNow();
    else later ??= setTimeout(flushNow, waitMs);
  };
  return <Result>(work: Work<Result>, guards = {}) =>
    new Promise<Result>((resolve, reject) => {
      queue.push({ work, guards, resolve: resolve as (result: unknown) => void, reject });
      if (!isBusy) flushInTime();
    });
}

async function commitAll(queued: readonly Queued[], journal: Pick<Journal, 'commitTogether'>): Promise<void> {
  try {
    const ends = await journal.commitTogether(queued);
    for (const [index, end] of ends.entries()) {
      if (end.status === 'fulfilled') queued[index]?.resolve(end.value);
      else queued[index]?.reject(end.reason);
    }
  } catch (cause) {
    for (const { reject } of queued) reject(cause);
  }
}
