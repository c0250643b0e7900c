import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeySum } from '../../src/batch/sheet.ts';

function sumsOf(keys: readonly string[]): KeySum['sums'] {
  const sum = new KeySum();
  for (const key of keys) sum.add(key);
  return sum.sums;
}

const keys = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 50 });

test('the same keys have the same sums in any order, and without one of them others', () => {
  fc.assert(
    fc.property(keys, (some) => {
      expect(sumsOf([...some].reverse())).toEqual(sumsOf(some));
      expect(sumsOf(some.slice(1))).not.toEqual(sumsOf(some));
    }),
  );
});

test('one key in the place of another changes them', () => {
  fc.assert(
    fc.property(keys, fc.uuid(), ([first = '', ...rest], other) => {
      fc.pre(first.slice(0, 8) !== other.slice(0, 8) || first.slice(-8) !== other.slice(-8));
      expect(sumsOf([other, ...rest])).not.toEqual(sumsOf([first, ...rest]));
    }),
  );
});
