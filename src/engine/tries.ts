import type { AttemptEnd } from '../journal/journal.ts';
import { nextPauseMs } from './backoff.ts';
import type { EngineContext } from './context.ts';
import type { Stopped } from './outcome.ts';

/** How often, and for how long, one run of a command has tried. */
export class Tries {
  readonly #engine: EngineContext;
  #attempts = 0;
  #certificatesRefused = 0;
  /**
   * Pauses, flights and the journal's own time after the first attempt. Added up, for a clock that jumps within them
   * must not count.
   */
  #sinceFirstMs = 0;

  constructor(engine: EngineContext) {
    this.#engine = engine;
  }

  /** An attempt has ended, and took so long. */
  count(end: AttemptEnd, tookMs: number): void {
    if (this.#attempts > 0) this.#spend(tookMs, this.#engine.limits.timeoutMs);
    if (!this.#waitsWithAll(end)) this.#attempts += 1;
    if (end.trouble?.is === 'certificate') this.#certificatesRefused += 1;
  }

  /** The journal took so long, after an attempt or before the next one: its server may have been away. */
  recorded(tookMs: number): void {
    this.#spend(tookMs, this.#engine.limits.maxWaitMs);
  }

  #spend(tookMs: number, mostMs: number): void {
    this.#sinceFirstMs += Math.min(Math.max(0, tookMs), mostMs);
  }

  /** How long to wait for the next attempt, or why there is none. */
  next(end: AttemptEnd): number | Stopped {
    const { interrupts, pace, limits, chance, clock } = this.#engine;
    if (interrupts.first.aborted) return { because: 'interrupted' };
    const { retryAfterMs, trouble } = end;
    if (this.#waitsWithAll(end)) {
      pace?.limited(retryAfterMs);
      return 0;
    }
    const tried = { attempts: this.#attempts, sinceFirstMs: this.#sinceFirstMs, retryAfterMs };
    const pauseMs = this.#mayTryAgain ? nextPauseMs(tried, limits, chance.fraction()) : undefined;
    if (pauseMs !== undefined) return pauseMs;
    if (trouble?.is === 'certificate') return { because: 'certificate', trouble };
    return retryAfterMs === undefined
      ? { because: 'no-tries-left' }
      : { because: 'would-wait-too-long', comeBackAtMs: clock.now() + retryAfterMs };
  }

  async wait(waitMs: number, { verdict, trouble, status }: AttemptEnd): Promise<void> {
    const { observer, clock, interrupts, pace } = this.#engine;
    observer.step({ is: 'waiting', verdict, waitMs });
    const why = trouble ?? status;
    await observer.during({ for: 'next-try', waitMs, why }, clock.sleep(waitMs, interrupts.first));
    this.#sinceFirstMs += waitMs;
    // Waited together with a whole batch, which costs nobody's own time.
    await pace?.turn(interrupts.first);
  }

  /** A certificate stays as it is; but one of several servers behind a name may be the wrong one. */
  get #mayTryAgain(): boolean {
    return this.#certificatesRefused < 2;
  }

  /** In a batch a limit is not this intent's own trouble: it costs no try, and the pace knows how long it lasts. */
  #waitsWithAll({ verdict }: AttemptEnd): boolean {
    return verdict === 'limited' && this.#engine.pace !== undefined;
  }
}
