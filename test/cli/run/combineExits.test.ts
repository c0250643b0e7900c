import { expect, test } from 'vitest';
import { combineExits } from '../../../src/cli/run/stored.ts';
import type { Exit } from '../../../src/once/failures.ts';

test.each<[readonly Exit[], Exit]>([
  [[], 0],
  [[0, 0], 0],
  [[9], 9],
  [[4], 4],
  [[0, 9], 11],
  [[8, 10, 2], 11],
  [[7, 0], 11],
  [[0, 130], 11],
  [[0, 10], 10],
  [[10, 2, 5], 10],
  [[0, 2], 2],
  [[3, 4, 5, 6], 2],
  [[1, 0], 1],
])('%j together are %i', (exits, exit) => {
  expect(combineExits(exits)).toBe(exit);
});
