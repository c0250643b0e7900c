import type { Clock } from '../machine/process.ts';
import type { Pace } from '../once/engine/context.ts';

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

  /** How long all requests must still wait because of a limit. */
  quietMs(): number {
    return Math.max(0, this.#quietUntilMs - this.#clock.now());
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
