import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { invisibleIn } from '../../../src/once/entry/naming.ts';

test.each([
  ['a\tb', 'hidden', 0x0009, 2],
  ['\u0085a', 'hidden', 0x0085, 1],
  ['pay\u00adday', 'hidden', 0x00ad, 4],
  ['a\u200bb', 'hidden', 0x200b, 2],
  ['a\u202eb', 'hidden', 0x202e, 2],
  ['\ufeffa', 'hidden', 0xfeff, 1],
  ['a\u034fb', 'hidden', 0x034f, 2],
  ['a\u3164b', 'hidden', 0x3164, 2],
  ['a\ufe0f', 'hidden', 0xfe0f, 2],
  ['😀\u{e0041}', 'hidden', 0xe0041, 2],
  ['a\ud83d', 'hidden', 0xd83d, 2],
  ['a\u2800b', 'hidden', 0x2800, 2],
  ['a\ufffdb', 'lost', 0xfffd, 2],
  ['a\u00a0b', 'other-blank', 0x00a0, 2],
  ['a\u3000b', 'other-blank', 0x3000, 2],
  ['a\u2028b', 'other-blank', 0x2028, 2],
  [' a', 'blank-at-end', 0x0020, 1],
  ['é ', 'blank-at-end', 0x0020, 2],
  ['cafe\u0301', 'decomposed', 0x0301, 5],
  ['\u212b', 'decomposed', 0x212b, 1],
])('%j is refused with its code point and place', (text, is, codePoint, position) => {
  expect(invisibleIn(text)).toEqual({ is, codePoint, position });
});

test.each(['a', 'payday 2027-01', 'février', '二月', 'ab😀', 'x'.repeat(400)])('%j is a name', (text) => {
  expect(invisibleIn(text)).toBeUndefined();
});

test('no two names that are taken are one in any of the ways that hide', () => {
  const bare = (text: string): string =>
    text
      .replace(/[\p{Cc}\p{Cf}\p{DI}\p{Cs}\u2800\ufffd]/gu, '')
      .normalize('NFC')
      .trim();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-composite' }), fc.string({ unit: 'binary' }), (one, other) => {
      for (const text of [one, other, one + other]) {
        if (text !== '' && invisibleIn(text) === undefined) expect(bare(text)).toBe(text);
      }
    }),
  );
});
