import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { invisibleIn } from '../../src/intent/invisible.ts';

test.each([
  ['a\tb', 'has U+0009, which is invisible (character 2)'],
  ['\u0085a', 'has U+0085, which is invisible (character 1)'],
  ['pay\u00adday', 'has U+00AD, which is invisible (character 4)'],
  ['a\u200bb', 'has U+200B, which is invisible (character 2)'],
  ['a\u202eb', 'has U+202E, which is invisible (character 2)'],
  ['\ufeffa', 'has U+FEFF, which is invisible (character 1)'],
  ['a\u034fb', 'has U+034F, which is invisible (character 2)'],
  ['a\u3164b', 'has U+3164, which is invisible (character 2)'],
  ['a\ufe0f', 'has U+FE0F, which is invisible (character 2)'],
  ['😀\u{e0041}', 'has U+E0041, which is invisible (character 2)'],
  ['a\ud83d', 'has U+D83D, which is invisible (character 2)'],
  ['a\u2800b', 'has U+2800, which is invisible (character 2)'],
  ['a\ufffdb', 'has U+FFFD, which stands for a character that was lost (character 2)'],
  ['a\u00a0b', 'has U+00A0, a blank that is not the plain space (character 2)'],
  ['a\u3000b', 'has U+3000, a blank that is not the plain space (character 2)'],
  ['a\u2028b', 'has U+2028, a blank that is not the plain space (character 2)'],
  [' a', 'starts or ends with a blank (character 1)'],
  ['é ', 'starts or ends with a blank (character 2)'],
  ['cafe\u0301', 'is not in Unicode’s composed form (NFC): U+0301 (character 5)'],
  ['\u212b', 'is not in Unicode’s composed form (NFC): U+212B (character 1)'],
])('%j is refused with its code point and place', (text, problem) => {
  expect(invisibleIn(text)).toBe(problem);
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
