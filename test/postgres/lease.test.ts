import { expect, test } from 'vitest';
import { Lease, thisMoment } from '../../src/postgres/lease.ts';

const durationMs = 30_000;
const lease = (): Lease => new Lease(durationMs, 'botctl', 'postgres://db/x');

/** A moment so long ago, by one clock or the other. */
function ago({ monotonicMs = 0, uptimeMs = 0 }): ReturnType<typeof thisMoment> {
  const now = thisMoment();
  return { monotonicMs: now.monotonicMs - monotonicMs, uptimeMs: now.uptimeMs - uptimeMs };
}

test('a lease that was never renewed lets nothing leave', () => {
  expect([lease().isStale(), lease().isDue()]).toEqual([true, false]);
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
