import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addAmounts,
  amountOf,
  canonicalAmount,
  formatAmount,
  isLess,
  minorUnits,
  summedPayment,
  unitsOf,
} from '../../../src/once/entry/amount.ts';

const places = 9;

const complaint = (rule: string, value: unknown) => ({ field: 'amount', rule, value });

describe('an amount that is not digits[.digits] is refused, with what is wrong with it', () => {
  test.each([
    ['', 'empty'],
    ['+1', 'sign'],
    ['-1', 'sign'],
    ['-0', 'sign'],
    ['1e3', 'exponent'],
    ['1E-9', 'exponent'],
    ['1,5', 'comma'],
    ['1,000.5', 'comma'],
    [' 1', 'blank'],
    ['1 ', 'blank'],
    ['1\n', 'blank'],
    ['1 000', 'blank'],
    ['1\u00a0000', 'blank'],
    ['01', 'leading-zero'],
    ['00.5', 'leading-zero'],
    ['.5', 'bare-fraction'],
    ['.', 'bare-fraction'],
    ['1.', 'bare-dot'],
    ['1.2.3', 'other'],
    ['1_000', 'other'],
    ['0x10', 'other'],
    ['NaN', 'other'],
    ['Infinity', 'other'],
    ['１', 'other'],
    ['1.5SOL', 'other'],
    [`1${'0'.repeat(40)}`, { longerThan: 40 }],
  ])('%j: %j', (text, value) => {
    expect(canonicalAmount(text, 'SOL')).toEqual(complaint('amount', value));
  });

  test.each(['0', '0.0', '0.000000000'])('%s, for it is zero', (text) => {
    expect(canonicalAmount(text, 'SOL')).toEqual(complaint('positive', 'zero'));
  });
});

describe('decimals', () => {
  test('of SOL are nine at most', () => {
    expect(canonicalAmount('0.000000001', 'SOL')).toBe('0.000000001');
    expect(canonicalAmount('0.0000000001', 'SOL')).toEqual(
      complaint('decimals', { most: 9, asset: 'SOL', decimals: 10 }),
    );
  });

  test('of a token whose places are not known are as many as were written', () => {
    expect(canonicalAmount('0.000000000000000001', 'BONK')).toBe('0.000000000000000001');
  });

  test('of a token that is called like a property of every object are not limited by it', () => {
    expect(canonicalAmount('1.5', 'constructor')).toBe('1.5');
    expect(canonicalAmount('1.5', '__proto__')).toBe('1.5');
  });
});

describe('the one spelling of an amount', () => {
  test.each([
    ['1', '1'],
    ['1.0', '1'],
    ['1.50', '1.5'],
    ['10', '10'],
    ['100.00', '100'],
    ['0.10', '0.1'],
    ['18446744073709551615', '18446744073709551615'],
    ['9007199254740993.000000001', '9007199254740993.000000001'],
    ['1'.repeat(40), '1'.repeat(40)],
  ])('%s is %s', (text, spelled) => {
    expect(canonicalAmount(text, 'SOL')).toBe(spelled);
  });
});

const amount = fc
  .tuple(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.nat({ max: places }))
  .map(([units, shift]) => formatAmount({ units, decimals: shift }))
  .filter((text) => text !== '0');

describe('exact sums', () => {
  test.each([
    ['1', '1.1', true],
    ['1.1', '1', false],
    ['1', '1', false],
  ])('%s is less than %s: %s', (left, right, is) => {
    expect(isLess(minorUnits(left), minorUnits(right))).toBe(is);
  });

  test.each(['usdc', 'u"s', 'u\\s'])('have the asset %s as it is named', (asset) => {
    const payment = JSON.stringify(['ada', asset, '1.5']);
    expect(summedPayment(payment)).toEqual({ asset, whole: 1, nanos: 500_000_000 });
  });

  test('have one scale of 38 places', () => {
    fc.assert(
      fc.property(amount, (text) => {
        expect(amountOf(unitsOf(text))).toBe(text);
      }),
    );
    const least = `0.${'0'.repeat(37)}1`;
    expect([unitsOf(least), unitsOf('1')]).toEqual([1n, 10n ** 38n]);
    expect(() => unitsOf(`${least}1`)).toThrow('at most 38 places');
  });

  test('are those of whole minor units, in any order', () => {
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 20 }), (amounts) => {
        const units = (text: string): bigint => {
          const [whole = '0', fraction = ''] = text.split('.');
          return BigInt(whole) * 10n ** BigInt(places) + BigInt(fraction.padEnd(places, '0'));
        };
        const sum = (list: readonly string[]) =>
          formatAmount(list.map(minorUnits).reduce(addAmounts, { units: 0n, decimals: 0 }));
        const expected = formatAmount({
          units: amounts.reduce((all, one) => all + units(one), 0n),
          decimals: places,
        });
        expect(sum(amounts)).toBe(expected);
        expect(sum(amounts.toReversed())).toBe(expected);
      }),
    );
  });

  test('no text whatever is taken for an amount that it is not', () => {
    const anyText = fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9.,eE _]{0,12}$/u));
    fc.assert(
      fc.property(anyText, (text) => {
        const read = canonicalAmount(text, 'TOKEN');
        if (typeof read === 'string') expect(text).toMatch(/^(0|[1-9][0-9]*)(\.[0-9]+)?$/u);
        else expect(read.field).toBe('amount');
      }),
    );
  });
});
