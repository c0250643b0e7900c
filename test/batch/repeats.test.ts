import { expect, test } from 'vitest';
import { isPaidAlready } from '../../src/batch/sheet.ts';

test.each([
  [0, 4, false],
  [1, 1, false],
  [1, 3, false],
  [2, 2, true],
  [2, 8, true],
  [2, 9, false],
  [3, 12, true],
  [19, 100, false],
  [20, 100, true],
  [20, 1000, true],
])('%i of %i rows that were paid before are a file that was paid already: %s', (rows, of, expected) => {
  expect(isPaidAlready({ rows, of, own: 0 }, 1)).toBe(expected);
});

test.each([
  [1, 0, false],
  [0, 1, false],
  [1, 1, true],
])(
  '%i rows of a row that is gone, and %i conflicts, are a file that was paid already: %s',
  (own, conflicts, is) => {
    expect(isPaidAlready({ rows: own, of: 100, own }, conflicts)).toBe(is);
  },
);
