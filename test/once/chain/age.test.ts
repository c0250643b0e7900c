import { expect, test } from 'vitest';
import { isOlder } from '../../../src/once/chain/verdict.ts';

const atMs = 1_795_000_000_000;
const hourS = 3600;

test.each([
  ['two hours older', -2 * hourS, false, false],
  ['older than that', -2 * hourS - 1, false, true],
  ['much younger', 1000 * hourS, false, false],
  ['of no known time', undefined, false, true],
  ['a month older, and another machine may have paid under the same name', -720 * hourS, true, false],
  ['of no known time, and named', undefined, true, false],
])('a transaction that is %s', (_what, byS, isNamed, expected) => {
  const blockTimeS = byS === undefined ? undefined : atMs / 1000 + byS;
  expect(isOlder({ blockTimeS }, { atMs, isNamed })).toBe(expected);
});
