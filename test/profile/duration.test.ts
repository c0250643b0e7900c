import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../../src/profile/duration.ts';

describe('a duration', () => {
  test.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['24h', 86_400_000],
    ['0s', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    '',
    '5',
    's',
    '5 s',
    ' 5s',
    '5s ',
    '-5s',
    '+5s',
    '1.5s',
    '05s',
    '5S',
    '5d',
    '1e3s',
    '5m30s',
    '٥s',
    '9999999999s',
  ])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test('reads back as it was written, in its shortest form', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400_000_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
    expect([0, 1500, 60_000, 5_400_000, 7_200_000].map(formatDuration)).toEqual([
      '0s',
      '1500ms',
      '1m',
      '90m',
      '2h',
    ]);
  });
});
