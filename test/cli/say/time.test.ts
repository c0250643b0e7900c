import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import {
  formatClockOffset,
  formatDuration,
  formatPause,
  iso,
  isoDay,
  isoExact,
} from '../../../src/cli/say/phrases.ts';

const atMs = Date.UTC(2026, 10, 21, 17, 4, 5, 678);

test('a moment is shown to the second, in JSON to the millisecond', () => {
  expect(iso(atMs)).toBe('2026-11-21T17:04:05Z');
  expect(isoExact(atMs)).toBe('2026-11-21T17:04:05.678Z');
  expect(isoDay(atMs)).toBe('2026-11-21');
});

test.each([
  [-5, '0 s'],
  [1, '1 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [3_599_001, '1 h'],
  [3_600_000, '1 h'],
  [93_660_000, '26 h 1 min'],
])('%i ms last %s', (ms, said) => {
  expect(formatDuration(ms)).toBe(said);
});

test('a pause is shown to the tenth of a second', () => {
  expect(formatPause(1240)).toBe('1.2 s');
});

test('clocks less than two seconds apart agree', () => {
  expect([-1400, 2000, -61_000].map(formatClockOffset)).toEqual([
    'agrees with',
    '2 s ahead of',
    '61 s behind',
  ]);
});

test('times, lists and counts are written in cli/say alone, the sandbox’s own apart', () => {
  const src = resolve(import.meta.dirname, '../../../src');
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(?:cli\/say|sandbox)\//u.test(file))
    .filter((file) =>
      /toISOString|toLocaleString|ListFormat|\.toFixed/u.test(readFileSync(resolve(src, file), 'utf8')),
    );
  expect(found).toEqual([]);
});
