import type { Clock } from '../machine/process.ts';
import type { Commit, Pace } from '../once/engine/context.ts';
import type { GuardedWork, Journal, Work } from '../once/journal/journal.ts';

const firstQuietMs = 1000;
const shortestQuietMs = 250;
const longestQuietMs = 60_000;
// A limit this soon after the last one shows that the last wait was too short.
const soonMs = 5000;

/** One pace for all rows: at most `--rate`, and no requests while the service limits the rate. */
export class BatchPace implements Pace {
  readonly #clock: Clock;
  readonly #perS: number | undefined;
  readonly #maxWaitMs: number;
  readonly #over = new AbortController();
  readonly over = this.#over.signal;
  /** When the first wait of the current series of rate limits ended. Undefined after any other answer. */
  #limitedSinceMs: number | undefined;
  #nextAtMs = 0;
  #quietUntilMs = 0;
  #limitsInARow = 0;

  constructor(clock: Clock, perS?: number, maxWaitMs = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#perS = perS;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Call this when the service gave an answer other than a rate limit. */
  answered(): void {
    this.#limitedSinceMs = undefined;
  }

  async turn(cut: AbortSignal): Promise<void> {
    for (;;) {
      const signal = this.#limitedSinceMs === undefined ? cut : AbortSignal.any([cut, this.over]);
      const nowMs = this.#clock.now();
      const atMs = Math.max(nowMs, this.#nextAtMs, this.#quietUntilMs);
      if (this.#perS !== undefined) this.#nextAtMs = atMs + 1000 / this.#perS;
      if (atMs > nowMs) await this.#clock.sleep(atMs - nowMs, signal);
      // A limit that arrived meanwhile also applies to requests whose turn has already come.
      if (signal.aborted || this.#quietUntilMs <= this.#clock.now()) return;
    }
  }

  limited(retryAfterMs: number | undefined): void {
    const nowMs = this.#clock.now();
    // Requests that were under way when the wait began report the same limit.
    if (nowMs < this.#quietUntilMs) {
      if (retryAfterMs !== undefined) this.#quietFor(retryAfterMs, nowMs);
    } else {
      this.#limitsInARow = nowMs - this.#quietUntilMs < soonMs ? this.#limitsInARow + 1 : 0;
      this.#quietFor(retryAfterMs ?? Math.min(longestQuietMs, firstQuietMs * 2 ** this.#limitsInARow), nowMs);
    }
    const sinceMs = this.#limitedSinceMs ?? this.#quietUntilMs;
    this.#limitedSinceMs = nowMs < sinceMs ? this.#quietUntilMs : sinceMs;
    if (nowMs - this.#limitedSinceMs >= this.#maxWaitMs) this.#over.abort();
  }

  #quietFor(waitMs: number, nowMs: number): void {
    this.#quietUntilMs = Math.max(this.#quietUntilMs, nowMs + Math.max(shortestQuietMs, waitMs));
    this.#nextAtMs = this.#quietUntilMs;
  }
}

type Queued = GuardedWork<unknown> & {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
};

// With this wait, 7 of 8 rows in flight share a commit; without it, 3 do. It gives a third more rows a second.
const untilOthersLandMs = 2;

/**
 * Makes one commit at a time. Requests and replies that arrive meanwhile share the next one, because a sync of the disk
 * costs more than a row. While other replies may come soon (`othersMayLand`), a commit waits a moment for them.
 */
export function sharedCommit(
  journal: Pick<Journal, 'commitTogether'>,
  othersMayLand: () => boolean = () => false,
): Commit {
  let queue: Queued[] = [];
  let isBusy = false;
  let later: NodeJS.Timeout | undefined;
  const flush = async (): Promise<void> => {
    isBusy = true;
    later = undefined;
    const queued = queue;
    queue = [];
    await commitAll(queued, journal);
    // Work that follows this commit is requested before the next one begins, so it shares that one.
    setImmediate(() => {
      isBusy = false;
      if (queue.length > 0) flushSoon();
    });
  };
  const flushSoon = (): void => {
    if (othersMayLand()) {
      later ??= setTimeout(flush, untilOthersLandMs);
      return;
    }
    clearTimeout(later);
    isBusy = true;
    setImmediate(flush);
  };
  return <Result>(work: Work<Result>, guards = {}) =>
    new Promise<Result>((resolve, reject) => {
      queue.push({ work, guards, resolve: resolve as (result: unknown) => void, reject });
      if (!isBusy) flushSoon();
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
