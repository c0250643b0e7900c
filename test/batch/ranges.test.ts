import { expect, test } from 'vitest';
import { allRows, sharedRanges } from '../../src/batch/workList.ts';
import type { Taken } from '../../src/once/journal/journal.ts';

/** The sizes that a runner on its own asks for, one after the other. */
async function sizesOf(rows: number, concurrency: number): Promise<number[]> {
  const sizes: number[] = [];
  let next = 1;
  const take = async (_round: unknown, size: number): Promise<Taken> => {
    if (next > rows) return { is: 'nothing', others: [], theirs: [] };
    sizes.push(size);
    const range = { first: next, last: Math.min(rows, next + size - 1) };
    next += size;
    return { is: 'range', range, left: Math.max(0, rows - next + 1) };
  };
  const ranges = sharedRanges({ take }, { round: { batch: 1, round: 1 }, rows, concurrency });
  for (let taken = await ranges.take([], []); taken.is === 'range'; ) taken = await ranges.take([], []);
  return sizes;
}

test('ranges are long while many rows are left, and get shorter towards the end', async () => {
  const sizes = await sizesOf(20_000, 64);
  expect(sizes[0]).toBe(256);
  expect(sizes.at(-1)).toBe(16);
  expect([...sizes].sort((one, other) => other - one)).toEqual(sizes);
  expect(sizes.length).toBeLessThan(150);
});

test('a small batch is shared too, and no range is shorter than what goes at a time, up to 16', async () => {
  expect(await sizesOf(20, 8)).toEqual([8, 8, 8]);
  expect(await sizesOf(3, 1)).toEqual([1, 1, 1]);
  expect(await sizesOf(40, 256)).toEqual([16, 16, 16]);
});

test('a runner on its own is given all rows, once', async () => {
  const ranges = allRows();
  expect(await ranges.take([], [])).toMatchObject({ is: 'range', range: { first: 1 } });
  expect(await ranges.take([], [])).toEqual({ is: 'nothing', others: [], theirs: [] });
});
