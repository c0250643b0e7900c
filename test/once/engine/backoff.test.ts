import { describe, expect, test } from 'vitest';
import { nextPauseMs } from '../../../src/once/engine/judgedReply.ts';

const limits = { maxWaitMs: 60_000 };
const candidate = { attempts: 1, sinceFirstMs: 0, retryAfterMs: undefined };

describe('the pause before another attempt', () => {
  test('grows as a fully jittered exponential', () => {
    const longest = (attempts: number) => nextPauseMs({ ...candidate, attempts }, limits, 1);
    const steps = [1, 2, 3, 4].map(longest);
    expect(steps).toEqual([500, 1000, 2000, 4000]);
    expect(nextPauseMs(candidate, limits, 0)).toBe(0);
    expect(nextPauseMs(candidate, limits, 0.5)).toBe(250);
    expect(longest(50)).toBe(20_000);
  });

  test('is none where --max-wait is 0', () => {
    expect(nextPauseMs(candidate, { maxWaitMs: 0 }, 0)).toBeUndefined();
    expect(nextPauseMs({ ...candidate, attempts: 1000 }, limits, 1)).toBe(20_000);
  });

  test('obeys Retry-After where it is longer, and does not shorten itself where it is shorter', () => {
    expect(nextPauseMs({ ...candidate, retryAfterMs: 30_000 }, limits, 1)).toBe(30_000);
    expect(nextPauseMs({ ...candidate, retryAfterMs: 1 }, limits, 1)).toBe(500);
  });

  test('is not made where it would end later than --max-wait after the first attempt, not even in part', () => {
    const tried = { ...candidate, sinceFirstMs: 40_000, retryAfterMs: 20_001 };
    expect(nextPauseMs(tried, limits, 0)).toBeUndefined();
    expect(nextPauseMs({ ...tried, retryAfterMs: 20_000 }, limits, 0)).toBe(20_000);
  });
});
