import { expect, test } from 'vitest';
import { InFlightLimit, lanesFor, worthWaitingMs } from '../../src/batch/pace.ts';

test('transfers are never claimed ahead of their flights: a kill leaves no more in doubt than were in flight', () => {
  for (const concurrency of [1, 16, 64, 500])
    expect(lanesFor('transfer', concurrency, undefined)).toEqual({ isAhead: false, count: concurrency });
});

test('messages are, within bounds; but not where a rate was given', () => {
  expect(lanesFor('message', 1, undefined)).toEqual({ isAhead: true, count: 16 });
  expect(lanesFor('message', 16, undefined)).toEqual({ isAhead: true, count: 256 });
  expect(lanesFor('message', 100, undefined)).toEqual({ isAhead: true, count: 256 });
  expect(lanesFor('message', 500, undefined)).toEqual({ isAhead: true, count: 500 });
  expect(lanesFor('message', 16, 5)).toEqual({ isAhead: false, count: 16 });
});

test('a commit waits while many are in flight, and in a file also while others are sent', async () => {
  const inFlightLimit = new InFlightLimit(4, new AbortController().signal);
  const inEachStore = () => [false, true].map((isShared) => worthWaitingMs(inFlightLimit, isShared));
  expect(inEachStore()).toEqual([0, 0]);
  await inFlightLimit.enter();
  expect(inEachStore()).toEqual([0, 0]);
  await inFlightLimit.enter();
  const [inFlightMs = 0, onServerMs] = inEachStore();
  expect(inFlightMs).toBeGreaterThan(0);
  expect(onServerMs).toBe(0);
  await inFlightLimit.enter();
  expect(inEachStore()).toEqual([inFlightMs, inFlightMs]);
  await inFlightLimit.enter();
  void inFlightLimit.enter();
  expect(worthWaitingMs(inFlightLimit, false)).toBeGreaterThan(inFlightMs);
  expect(worthWaitingMs(inFlightLimit, true)).toBe(0);
});
