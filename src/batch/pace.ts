import type { Clock } from '../machine/process.ts';
import type { Commit, Pace } from '../once/engine/context.ts';
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

const untilOthersLandMs = 2;

/**
 * How long a commit waits so that more rows can share it: until at most half of the places are taken (in a file, a
 * quarter). For transfers, sharing a commit among a third more rows saves a tenth of the server's work, and in a file
 * 4 % of CPU for each row.
 */
export function worthWaitingMs({ inFlight, places }: InFlight, isShared: boolean): number {
  return inFlight > places / (isShared ? 2 : 4) ? untilOthersLandMs : 0;
}

/** Counts the requests in flight. Each lane has a place of its own. */
export class InFlight {
  readonly places: number;
  #inFlight = 0;

  constructor(places: number) {
    this.places = places;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Takes a place, and returns what frees it. Calling that again does nothing. */
  enter(): () => void {
    let isIn = true;
    this.#inFlight += 1;
    return () => {
      if (isIn) this.#inFlight -= 1;
      isIn = false;
    };
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
