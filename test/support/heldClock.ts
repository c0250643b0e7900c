import type { Clock } from '../../src/machine/process.ts';

type Sleeper = { atMs: number; wake: () => void };

/** A clock that moves only when someone sleeps on it. */
export class HeldClock implements Clock {
  nowMs: number;
  /** The lengths of all sleeps, in order. */
  readonly sleeps: number[] = [];
  /** Called at the start of a sleep, before any time passes: things can happen during it. */
  onSleep: (waitMs: number) => void = () => {};
  /** Whether a sleep moves the clock. Otherwise only `advance` does. */
  runs = true;
  readonly #sleepers = new Set<Sleeper>();

  constructor(nowMs = Date.UTC(2027, 0, 15, 8)) {
    this.nowMs = nowMs;
  }

  now(): number {
    return this.nowMs;
  }

  async sleep(waitMs: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(waitMs);
    if (signal?.aborted) return;
    this.onSleep(waitMs);
    if (signal?.aborted) return;
    if (this.runs) {
      // Lets other work run during a sleep.
      await new Promise(setImmediate);
      this.nowMs += waitMs;
      return;
    }
    await new Promise<void>((resolve) => {
      const sleeper: Sleeper = { atMs: this.nowMs + waitMs, wake: resolve };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        resolve();
      });
    });
  }

  advance(ms: number): void {
    this.nowMs += ms;
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.atMs > this.nowMs) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}
