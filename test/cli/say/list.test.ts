import { expect, test } from 'vitest';
import { counted, listed } from '../../../src/cli/say/phrases.ts';

test('a list reads as a person writes it', () => {
  expect(listed(['a'])).toBe('a');
  expect(listed(['a', 'b'])).toBe('a and b');
  expect(listed(['a', 'b', 'c'], 'or')).toBe('a, b, or c');
});

test('a noun follows its count', () => {
  expect([counted(1, 'row'), counted(2, 'row'), counted(12_345, 'row')]).toEqual([
    '1 row',
    '2 rows',
    '12,345 rows',
  ]);
  expect(counted(2, 'retry', 'retries')).toBe('2 retries');
});
