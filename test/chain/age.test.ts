import { describe, expect, test } from 'vitest';
import { ageOf, type Beginning } from '../../src/chain/age.ts';

const atS = 1_795_000_000;
const hourS = 3600;
const atMs = 1000 * atS;

function aged(
  byS: number | undefined,
  change: Partial<Beginning> = {},
  nodesMs = [atMs],
  slot = 100,
): string {
  const beginning = { atMs, slot: undefined, mayBeEarlier: false, nowMs: atMs, ...change };
  return ageOf({ slot, blockTimeS: byS === undefined ? undefined : atS + byS }, nodesMs, beginning);
}

describe('a transaction, beside an intent’s first attempt', () => {
  test('is in time within two hours of grace both ways, and of another time beyond', () => {
    const at = [-2 * hourS - 1, -2 * hourS, 0, 2 * hourS, 2 * hourS + 1];
    expect(at.map((byS) => aged(byS))).toEqual(['other-time', 'in-time', 'in-time', 'in-time', 'other-time']);
  });

  test('is in time whenever it was since, up to now', () => {
    const nowMs = atMs + 1000 * 365 * 24 * hourS;
    expect(aged(300 * 24 * hourS, { nowMs }, [nowMs])).toBe('in-time');
    expect(aged(366 * 24 * hourS, { nowMs }, [nowMs])).toBe('other-time');
  });

  test('is earlier where another machine may have made it, by 20 hours at most', () => {
    const mayBeEarlier = { mayBeEarlier: true };
    const at = [-20 * hourS - 1, -20 * hourS, -2 * hourS - 1, -2 * hourS, 2 * hourS + 1];
    expect(at.map((byS) => aged(byS, mayBeEarlier))).toEqual([
      ...['other-time', 'earlier', 'earlier', 'in-time', 'other-time'],
    ]);
  });

  test('is older at a slot that was final before, whatever the clocks say', () => {
    for (const slot of [99, 100]) {
      expect(aged(0, { slot: 100 }, [], slot)).toBe('other-time');
      expect(aged(undefined, { slot: 100 }, [], slot)).toBe('other-time');
      expect(aged(0, { slot: 100, mayBeEarlier: true }, [], slot)).toBe('earlier');
      expect(aged(-21 * hourS, { slot: 100, mayBeEarlier: true }, [], slot)).toBe('other-time');
      expect(aged(undefined, { slot: 100, mayBeEarlier: true }, [], slot)).toBe('other-time');
    }
    expect(aged(-99 * hourS, { slot: 100 }, [atMs], 101)).toBe('in-time');
    expect(aged(undefined, { slot: 100 }, [], 101)).toBe('in-time');
  });

  test('of a later slot is in time by the node’s own clock, too', () => {
    expect(aged(9 * hourS, { slot: 100 }, [atMs], 101)).toBe('other-time');
    expect(aged(9 * hourS, { slot: 100 }, [atMs + 9000 * hourS], 101)).toBe('in-time');
  });

  test('is of no known time where no node says one', () => {
    expect(aged(undefined)).toBe('no-time');
  });

  test('is not judged by clocks that differ by more than two hours', () => {
    const off = (byS: number, slot?: number): string =>
      aged(0, { slot, mayBeEarlier: true }, [atMs, atMs + 1000 * byS], 100);
    expect([-2 * hourS - 1, -2 * hourS, 2 * hourS, 2 * hourS + 1].map((byS) => off(byS))).toEqual([
      ...['clock', 'in-time', 'in-time', 'clock'],
    ]);
    expect(off(9 * hourS, 100)).toBe('clock');
    expect(off(9 * hourS, 99)).toBe('in-time');
  });
});
