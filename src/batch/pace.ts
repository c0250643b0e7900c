import type { Clock } from '../machine/process.ts';
import type { Pace } from '../once/engine/context.ts';

const firstQuietMs = 1000;
const shortestQuietMs = 250;
const longestQuietMs = 60_000;
// A limit this soon after a wait shows that the wait was too short.
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
