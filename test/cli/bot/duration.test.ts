import { describe, expect, test } from 'vitest';
import { parseDuration } from '../../../src/cli/bot/settings.ts';

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
});
