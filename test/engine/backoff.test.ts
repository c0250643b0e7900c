import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPause } from '../../src/engine/backoff.ts';
import { defaults } from './design.ts';

const limits = { retries: defaults.retries, maxWaitMs: defaults.maxWait };
const fresh = { attempts: 1, waitedMs: 0, retryAfterMs: undefined };

describe('the pause before another attempt', () => {
  it('grows as a fully jittered exponential', () => {
    const longest = (attempts: number) => nextPause({ ...fresh, attempts }, { ...limits, retries: 99 }, 1);
    const steps = [1, 2, 3, 4].map(longest);
    expect(steps).toEqual([500, 1000, 2000, 4000].map((waitMs) => ({ is: 'wait', waitMs })));
    expect(nextPause(fresh, limits, 0)).toEqual({ is: 'wait', waitMs: 0 });
    expect(nextPause(fresh, limits, 0.5)).toEqual({ is: 'wait', waitMs: 250 });
    expect(longest(50)).toEqual({ is: 'wait', waitMs: 20_000 });
  });

  it('stops after --retries more attempts than the first', () => {
    expect(nextPause({ ...fresh, attempts: 4 }, limits, 0)).toMatchObject({ is: 'wait' });
    expect(nextPause({ ...fresh, attempts: 5 }, limits, 0)).toEqual({ is: 'stop', because: 'no-tries-left' });
    expect(nextPause(fresh, { ...limits, retries: 0 }, 0)).toMatchObject({ because: 'no-tries-left' });
  });

  it('obeys Retry-After where it is longer, and does not shorten itself where it is shorter', () => {
    expect(nextPause({ ...fresh, retryAfterMs: 30_000 }, limits, 1)).toEqual({ is: 'wait', waitMs: 30_000 });
    expect(nextPause({ ...fresh, retryAfterMs: 1 }, limits, 1)).toEqual({ is: 'wait', waitMs: 500 });
  });

  it('is not made where it would pass --max-wait, not even in part', () => {
    const tried = { ...fresh, waitedMs: 40_000, retryAfterMs: 20_001 };
    expect(nextPause(tried, limits, 0)).toEqual({
      is: 'stop',
      because: 'would-wait-too-long',
      waitMs: 20_001,
    });
    expect(nextPause({ ...tried, retryAfterMs: 20_000 }, limits, 0)).toEqual({ is: 'wait', waitMs: 20_000 });
  });

  it('never waits less than asked, more than --max-wait in all, nor tries more than --retries', () => {
    fc.assert(
      fc.property(
        fc.nat(20),
        fc.nat(200_000),
        fc.array(
          fc.record({
            fraction: fc.double({ min: 0, max: 0.999, noNaN: true }),
            asked: fc.option(fc.nat(90_000), { nil: undefined }),
          }),
          { minLength: 30, maxLength: 30 },
        ),
        (retries, maxWaitMs, draws) => {
          let waitedMs = 0;
          let attempts = 0;
          for (const { fraction, asked } of draws) {
            attempts += 1;
            const pause = nextPause(
              { attempts, waitedMs, retryAfterMs: asked },
              { retries, maxWaitMs },
              fraction,
            );
            if (pause.is === 'stop') break;
            expect(pause.waitMs).toBeGreaterThanOrEqual(asked ?? 0);
            waitedMs += pause.waitMs;
          }
          expect(waitedMs).toBeLessThanOrEqual(maxWaitMs);
          expect(attempts).toBeLessThanOrEqual(retries + 1);
        },
      ),
    );
  });
});
