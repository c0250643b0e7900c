import { expect, test } from 'vitest';
import { attemptColumns, reading } from '../../../src/once/journal/columns.ts';
import { receiptValue, rowGroupOf } from '../../../src/once/journal/rows.ts';

test.each([
  ['as it is', 'x'.repeat(512), 'x'.repeat(512)],
  ['by its hash where it is long', 'x'.repeat(513), /^sha256:[0-9a-f]{64}$/u],
  ['without a NUL', 'a\0b\ud800', 'a\ufffdb\ufffd'],
])('a receipt is kept %s', (_how, given, kept) => {
  expect(receiptValue(given)).toEqual(typeof kept === 'string' ? kept : expect.stringMatching(kept));
});

test.each(['', 'x', '7', 'null', '{}', null, undefined])(
  'a trouble that was damaged to %j is none',
  (trouble) => {
    const attempt = { number: 1, headers: '{', trouble };
    expect(reading(attemptColumns)(attempt)).toMatchObject({ number: 1, trouble: undefined, headers: {} });
  },
);

test('an attempt that was answered by nobody has no headers', () => {
  expect(reading(attemptColumns)({ number: 1, headers: null }).headers).toEqual({});
});

test.each([null, 'x', '"sol","x"]'])('what rows pay that was damaged to %j is left out', (paid) => {
  expect(rowGroupOf({ rows: 1, paid }, false).paid).toBeUndefined();
});
