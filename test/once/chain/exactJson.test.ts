import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExact } from '../../../src/once/chain/transaction.ts';

test('integers keep all their digits, and texts that look like them stay texts', () => {
  const text =
    '{"a":18446744073709551615,"b":"18446744073709551615","c":[-0,1],"__proto__":{"d":2},"n1":"t\\"3"}';
  expect(parseExact(text)).toEqual(
    Object.fromEntries([
      ['a', 18446744073709551615n],
      ['b', '18446744073709551615'],
      ['c', [0n, 1n]],
      ['__proto__', { d: 2n }],
      ['n1', 't"3'],
    ]),
  );
});

test('a number with a point or an exponent is no integer', () => {
  expect(parseExact('[1.0]')).toEqual([{ written: '1.0' }]);
  expect(parseExact('[1e3]')).toEqual([{ written: '1e3' }]);
});

test.each(['', '{', '[1,]', '{"a":01}', 'NaN', '"\n"'])('%j is no JSON', (text) => {
  expect(() => parseExact(text)).toThrow(SyntaxError);
});

test('everything else comes back as JSON.parse reads it', () => {
  const withoutNumbers = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('any'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).any;
  fc.assert(
    fc.property(withoutNumbers, (value) => {
      const text = JSON.stringify(value);
      expect(parseExact(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 100 },
  );
});
