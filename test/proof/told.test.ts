import { expect, test } from 'vitest';
import { untrue } from '../../proof/told.ts';
import type { LedgerEffect } from '../../testing/sandbox.ts';

const effectsOf = (...keys: string[]) => keys.map((key) => ({ key })) as unknown as LedgerEffect[];

function batchThatSaid(code: number, rows: Record<string, string>) {
  const lines = Object.entries(rows).map(([key, outcome]) => JSON.stringify({ outcome, intent: { key } }));
  const stdout = [...lines, '{"done_now":1}'].join('\n');
  return { argv: ['batch', 'send'], code, signal: null, stdout, stderr: '', hung: false, tookMs: 0 };
}

test.each([
  ['each row stands as it is', 2, { one: 'accepted', two: 'rejected' }, ['one'], []],
  ['all rows are done', 0, { one: 'accepted', two: 'accepted' }, ['one', 'two'], []],
  [
    'a row was not made',
    0,
    { one: 'accepted', two: 'accepted' },
    ['one'],
    ['it said accepted of two, and it had not happened'],
  ],
  [
    'a row was made all the same',
    2,
    { one: 'accepted', two: 'rejected' },
    ['one', 'two'],
    ['it said rejected of two, and it had happened'],
  ],
  ['a row is left', 0, { one: 'accepted', two: 'rejected' }, ['one'], ['exit 0 with a row that is not done']],
  ['none is left', 2, { one: 'accepted' }, ['one'], ['exit 2 with every row done']],
])('of a batch: %s', (_name, code, rows, made, wrong) => {
  expect(untrue(batchThatSaid(code, rows), effectsOf(...made))).toEqual(wrong);
});

test.each([
  ['journal-unreachable', []],
  ['unreachable', ['it said nothing, exit 8 (gone), and it had happened']],
])('exit 8 with %s', (code, wrong) => {
  const stdout = JSON.stringify({ error: { code, message: 'gone' } });
  const ran = { argv: ['send'], code: 8, signal: null, stdout, stderr: '', hung: false, tookMs: 0 };
  expect(untrue(ran, effectsOf('one'))).toEqual(wrong);
});
