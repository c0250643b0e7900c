import { describe, expect, test } from 'vitest';
import { ageOf, type Beginning } from '../../../src/once/chain/verdict.ts';

const atS = 1_795_000_000;
const hourS = 3600;
const atMs = 1000 * atS;

function aged(
  byS: number | undefined,
  change: Partial<Beginning> = {},
  nodesMs = [atMs],
  slot = 100,
): string {
  const beginning = { atMs, before: undefined, mayBeEarlier: false, nowMs: atMs, ...change };
  return ageOf({ slot, blockTimeS: byS === undefined ? undefined : atS + byS }, nodesMs, beginning);
}

describe('a transaction, beside an intent’s first attempt', () => {
  test('is in time within two hours of grace both ways, and of another time beyond', () => {
    const at = [-2 * hourS - 1, -2 * hourS, 0, 2 * hourS, 2 * hourS + 1];
    expect(at.map((byS) => aged(byS))).toEqual(['other-time', 'in-time', 'in-time', 'in-time', 'other-time']);
  });

  test('is of another time a millisecond beyond', () => {
    expect(aged(-2 * hourS, { atMs: atMs + 1 })).toBe('other-time');
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

  const before = { slot: 100, nodeMs: undefined };

  test('is older at a slot that was final before, whatever the clocks say', () => {
    for (const slot of [99, 100]) {
      expect(aged(0, { before }, [], slot)).toBe('other-time');
      expect(aged(undefined, { before }, [], slot)).toBe('other-time');
      expect(aged(0, { before, mayBeEarlier: true }, [], slot)).toBe('earlier');
      expect(aged(-21 * hourS, { before, mayBeEarlier: true }, [], slot)).toBe('other-time');
      expect(aged(undefined, { before, mayBeEarlier: true }, [], slot)).toBe('other-time');
    }
  });

  test('is in time at a later slot only if its time agrees: the node may have lagged', () => {
    expect(aged(0, { before }, [], 101)).toBe('in-time');
    expect(aged(-2 * hourS - 1, { before }, [], 101)).toBe('other-time');
    expect(aged(undefined, { before }, [], 101)).toBe('no-time');
  });

  test('is judged by the node’s clock where it was heard of before, whatever this machine’s says', () => {
    const nodeMs = atMs + 900_000 * hourS;
    const at = (byS: number, slot = 101, mayBeEarlier = false): string =>
      aged(900 * hourS + byS, { before: { slot: 100, nodeMs }, mayBeEarlier }, [nodeMs + 1000 * hourS], slot);
    expect([-2 * hourS - 1, -2 * hourS, 0, 3 * hourS, 3 * hourS + 1].map((byS) => at(byS))).toEqual([
      ...['other-time', 'in-time', 'in-time', 'in-time', 'other-time'],
    ]);
    expect([-20 * hourS - 1, -20 * hourS].map((byS) => at(byS, 101, true))).toEqual([
      'other-time',
      'earlier',
    ]);
    expect(at(0, 100, true)).toBe('earlier');
    const silent = (byS: number): string => aged(byS, { before: { slot: 100, nodeMs } }, [], 101);
    expect([silent(900 * hourS), silent(0)]).toEqual(['other-time', 'in-time']);
  });

  test('is of no known time where no node says one', () => {
    expect(aged(undefined)).toBe('no-time');
  });

  test('is not judged by clocks that differ by more than two hours', () => {
    const off = (byS: number): string => aged(0, {}, [atMs, atMs + 1000 * byS]);
    expect([-2 * hourS - 1, -2 * hourS, 2 * hourS, 2 * hourS + 1].map(off)).toEqual([
      ...['clock', 'in-time', 'in-time', 'clock'],
    ]);
    expect(aged(0, { before, mayBeEarlier: true }, [atMs + 9000 * hourS])).toBe('clock');
    expect(aged(0, { before }, [atMs + 9000 * hourS])).toBe('other-time');
  });
});
