import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { BatchPace } from '../../src/batch/pace.ts';
import type { Clock } from '../../src/machine/process.ts';

/** A clock whose sleepers wake in order, each at its time. */
class TestClock implements Clock {
  #nowMs = 1_000_000;
  readonly #sleepers: { atMs: number; wake: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  sleep(waitMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.push({ atMs: this.#nowMs + waitMs, wake: resolve });
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      this.#sleepers.sort((left, right) => left.atMs - right.atMs);
      const [next] = this.#sleepers;
      if (next === undefined || next.atMs > untilMs) break;
      this.#sleepers.shift();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.wake();
    }
    this.#nowMs = untilMs;
  }
}

const never = new AbortController().signal;
setMaxListeners(0, never);

/** Slots that take turns for ever, and when each turn came. */
function takeTurns(pace: BatchPace, clock: Clock, slots: number, most = 10_000): number[] {
  const turns: number[] = [];
  const slot = async (): Promise<void> => {
    while (turns.length < most) {
      await pace.turn(never);
      turns.push(clock.now());
      await clock.sleep(1);
    }
  };
  for (let count = 0; count < slots; count += 1) void slot();
  return turns;
}

const within = (turns: readonly number[], fromMs: number, toMs: number): number =>
  turns.filter((at) => at >= fromMs && at < toMs).length;

describe('a batch’s pace', () => {
  test('without a rate nobody waits', async () => {
    const clock = new TestClock();
    const turns = takeTurns(new BatchPace(clock), clock, 8);
    await clock.pass(100);
    expect(turns.length).toBeGreaterThan(700);
  });

  test('--rate holds for all slots together', async () => {
    const clock = new TestClock();
    const turns = takeTurns(new BatchPace(clock, 20), clock, 8);
    await clock.pass(5000);
    expect(turns.length).toBeGreaterThanOrEqual(98);
    expect(turns.length).toBeLessThanOrEqual(102);
  });

  test('a limit quiets everybody for the whole Retry-After, and those that had a turn already', async () => {
    const clock = new TestClock();
    const pace = new BatchPace(clock, 100);
    const beganMs = clock.now();
    const turns = takeTurns(pace, clock, 8);
    await clock.pass(1000);
    pace.limited(7000);
    await clock.pass(7000);
    expect(within(turns, beganMs + 1001, beganMs + 8000)).toBe(0);
    await clock.pass(1000);
    expect(within(turns, beganMs + 8000, beganMs + 9000)).toBeGreaterThan(90);
  });

  test('what was on its way when the quiet began does not make it longer', async () => {
    const clock = new TestClock();
    const pace = new BatchPace(clock);
    for (let count = 0; count < 8; count += 1) pace.limited(undefined);
    const turns = takeTurns(pace, clock, 1, 1);
    await clock.pass(1000);
    expect(turns).toHaveLength(1);
  });

  test('without a Retry-After each limit in a row doubles the quiet', async () => {
    const clock = new TestClock();
    const pace = new BatchPace(clock);
    const quiet: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      pace.limited(undefined);
      const beganMs = clock.now();
      let isOver = false;
      void pace.turn(new AbortController().signal).then(() => {
        isOver = true;
      });
      while (!isOver) await clock.pass(250);
      quiet.push(clock.now() - beganMs);
    }
    expect(quiet).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  test('an abort ends every wait at once', async () => {
    const clock = new TestClock();
    const pace = new BatchPace(clock, 1);
    pace.limited(60_000);
    const stopping = new AbortController();
    let over = false;
    void pace.turn(stopping.signal).then(() => {
      over = true;
    });
    await clock.pass(10);
    expect(over).toBe(false);
    stopping.abort();
    await clock.pass(1);
    expect(over).toBe(true);
  });

  test('is over when the service has said nothing but 429 for --max-wait, after the first wait', async () => {
    const clock = new TestClock();
    const pace = new BatchPace(clock, undefined, 60_000);
    pace.limited(60_000);
    await clock.pass(60_001);
    pace.limited(60_000);
    expect(pace.over.aborted).toBe(false);
    await clock.pass(60_001);
    pace.answered();
    pace.limited(60_000);
    await clock.pass(119_000);
    pace.limited(60_000);
    expect(pace.over.aborted).toBe(false);
    const turns = takeTurns(pace, clock, 1, 1);
    await clock.pass(1000);
    expect(turns).toHaveLength(0);
    pace.limited(60_000);
    expect(pace.over.aborted).toBe(true);
    await clock.pass(1);
    expect(turns).toHaveLength(1);
  });
});
