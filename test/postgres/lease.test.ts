import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PgConnections } from '../../src/postgres/connections.ts';
import { keepLeaseRenewed, Lease, ServerClock, thisMoment } from '../../src/postgres/lease.ts';
import { passHere } from '../support/localTime.ts';

const machine = vi.hoisted(() => ({ uptimeS: 1000 }));
vi.mock('node:os', async (original) => ({ ...(await original<object>()), uptime: () => machine.uptimeS }));

const durationMs = 30_000;
const lease = (): Lease => new Lease(durationMs, 'botctl', 'postgres://db/x');

/** A moment so long ago, by one clock or the other. */
function ago({ monotonicMs = 0, uptimeMs = 0 }): ReturnType<typeof thisMoment> {
  const now = thisMoment();
  return { monotonicMs: now.monotonicMs - monotonicMs, uptimeMs: now.uptimeMs - uptimeMs };
}

test('a lease that was never renewed lets nothing leave, and nobody waits for its end', () => {
  expect([lease().isStale(), lease().isDue(), lease().mayBeKnown]).toEqual([true, false, false]);
});

test('a lease runs out while the machine sleeps, which this process’s own clock does not count', () => {
  const one = lease();
  one.renewed(thisMoment());
  machine.uptimeS += 16;
  const slept = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 16_000);
  expect([one.isStale(), one.isDue()]).toEqual([true, true]);
  slept.mockRestore();
});

test.each([
  ['just now', {}, false, false],
  ['a while ago', { monotonicMs: 12_000 }, false, true],
  ['more than half of it ago', { monotonicMs: 16_000 }, true, true],
  ['before the machine slept', { uptimeMs: 16_000 }, true, true],
])('renewed %s: stale, and due', (_when, past, isStale, isDue) => {
  const one = lease();
  one.renewed(ago(past));
  expect([one.isStale(), one.isDue()]).toEqual([isStale, isDue]);
});

test('an answer that was long under way takes nothing from a later one', () => {
  const one = lease();
  one.renewed(ago({}));
  one.renewed(ago({ monotonicMs: 20_000, uptimeMs: 20_000 }));
  expect(one.isStale()).toBe(false);
});

test('who was fenced stays so, and renews nothing', () => {
  const one = lease();
  one.renewed(ago({ monotonicMs: 12_000 }));
  expect(() => one.fence([])).toThrow(
    expect.objectContaining({ kind: 'fenced', fields: { place: 'postgres://db/x' } }),
  );
  expect([one.isFenced, one.isDue(), one.mayBeKnown]).toEqual([true, false, false]);
});

describe('a lease that is kept', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  function kept(renew: () => Promise<{ rows: object[] }>, open = Promise.resolve()) {
    const line = { here: '1', isBroken: false, query: vi.fn(renew), destroy: vi.fn(), close: vi.fn() };
    const another = vi.fn(() => open.then(() => line));
    const one = lease();
    one.renewed(thisMoment());
    const keeping = keepLeaseRenewed(one, { another } as unknown as PgConnections);
    return { one, line, another, keeping };
  }
  const renewed = async () => ({ rows: [{}] });
  const never = new Promise<never>(() => {});

  test('is renewed on one connection before it is stale, no oftener than it must, until it is stopped', async () => {
    const { one, line, another, keeping } = kept(renewed);
    for (let s = 0; s < 300; s += 5) {
      await vi.advanceTimersByTimeAsync(5000);
      expect(one.isStale()).toBe(false);
    }
    expect(another).toHaveBeenCalledTimes(1);
    expect(line.query).toHaveBeenCalledTimes(20);
    keeping.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([line.query.mock.calls.length, line.close.mock.calls.length]).toEqual([20, 1]);
  });

  test('asks once, however long the answer is under way', async () => {
    const { line, another } = kept(() => never);
    await vi.advanceTimersByTimeAsync(300_000);
    expect([another.mock.calls.length, line.query.mock.calls.length]).toEqual([1, 1]);
  });

  test('takes another connection for one that failed', async () => {
    const { one, line, another } = kept(() => Promise.reject(new Error('away')));
    line.destroy.mockImplementation(() => {
      line.isBroken = true;
    });
    await vi.advanceTimersByTimeAsync(20_000);
    expect([one.isFenced, another.mock.calls.length, line.destroy.mock.calls.length]).toEqual([false, 2, 2]);
  });

  test('is asked about no more once others have ended it', async () => {
    const { one, line } = kept(async () => ({ rows: [] }));
    await vi.advanceTimersByTimeAsync(300_000);
    expect(one.isFenced).toBe(true);
    expect([line.query.mock.calls.length, line.destroy.mock.calls.length]).toEqual([1, 1]);
  });

  test('that is stopped while its connection opens asks nothing on it', async () => {
    let opened = () => {};
    const { line, keeping } = kept(renewed, new Promise((resolve) => (opened = resolve)));
    await vi.advanceTimersByTimeAsync(15_000);
    keeping.stop();
    opened();
    await vi.advanceTimersByTimeAsync(0);
    expect([line.query.mock.calls.length, line.destroy.mock.calls.length]).toEqual([0, 1]);
  });
});

test('the server’s time goes on between its answers, whatever this machine’s clock is set to', () => {
  const clock = new ServerClock();
  clock.set(1_700_000_000_000);
  passHere(5000);
  expect(Math.abs(clock.now() - 1_700_000_005_000)).toBeLessThan(1000);
});
