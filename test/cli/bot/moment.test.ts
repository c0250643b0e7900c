import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseMoment } from '../../../src/cli/bot/settings.ts';

const zone = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'Europe/Berlin';
});
afterAll(() => {
  process.env.TZ = zone;
});

const utc = 'begins' as const;

test.each([
  ['30m', { agoMs: 30 * 60_000 }],
  ['2d', { agoMs: 48 * 3_600_000 }],
  ['1w', { agoMs: 7 * 24 * 3_600_000 }],
  ['2026-11-30', { atMs: Date.UTC(2026, 10, 30) }],
  ['2026-11-30T12:30', { atMs: Date.UTC(2026, 10, 30, 12, 30) }],
  ['2026-11-30 12:30:05.250', { atMs: Date.UTC(2026, 10, 30, 12, 30, 5, 250) }],
  ['2026-11-30T12:30:05Z', { atMs: Date.UTC(2026, 10, 30, 12, 30, 5) }],
  ['2026-11-30T12:30+02:00', { atMs: Date.UTC(2026, 10, 30, 10, 30) }],
  ['2026-11', { atMs: Date.UTC(2026, 10, 1) }],
  ['2024-02-29', { atMs: Date.UTC(2024, 1, 29) }],
])('%s is a moment', (text, moment) => {
  expect(parseMoment(text, utc)).toEqual(moment);
});

test.each([
  '',
  'monday',
  '2y',
  '-1d',
  '2026-02-29',
  '2026-02-30',
  '2026-13-01',
  '2026-13',
  '2026-11T12:00',
  '2026-11-30T25:00',
  '2026-11-30T12',
  '2026-11-30Z',
  '11/30/2026',
])('%j is none', (text) => {
  expect(parseMoment(text, utc)).toBeUndefined();
});

test.each([
  ['2026-12', Date.UTC(2027, 0, 1)],
  ['2024-02', Date.UTC(2024, 2, 1)],
  ['2026-11-30', Date.UTC(2026, 11, 1)],
])('%s ends with its last millisecond', (text, nextMs) => {
  expect(parseMoment(text, 'ends')).toEqual({ atMs: nextMs - 1 });
});
