import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeJson, safeLine, safeLines } from '../../../src/cli/show/text.ts';

const harmful: [string, string, string][] = [
  ['escape', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
  ['C1 control', 'a\u009b31mb', 'a\\u009b31mb'],
  ['line break', 'a\nb\r\nc', 'a\\nb\\r\\nc'],
  ['tab', 'a\tb', 'a\\tb'],
  ['zero byte', 'a\0b', 'a\\u0000b'],
  ['delete', 'a\u007fb', 'a\\u007fb'],
  ['right-to-left override', 'a\u202egpj.exe', 'a\\u202egpj.exe'],
  ['bidi isolate', '\u2066a\u2069', '\\u2066a\\u2069'],
  ['Arabic letter mark', 'a\u061cb', 'a\\u061cb'],
  ['zero width space', 'a\u200bb', 'a\\u200bb'],
  ['zero width joiner', 'a\u200db', 'a\\u200db'],
  ['byte order mark', '\ufeffa', '\\ufeffa'],
  ['soft hyphen', 'a\u00adb', 'a\\u00adb'],
  ['combining grapheme joiner', 'a\u034fb', 'a\\u034fb'],
  ['Hangul filler', 'a\u3164b', 'a\\u3164b'],
  ['tag characters', 'a\u{e0041}b', 'a\\u{e0041}b'],
  ['variation selector supplement', 'a\u{e0100}b', 'a\\u{e0100}b'],
  ['private use', 'a\ue000b', 'a\\ue000b'],
  ['line separator', 'a\u2028b', 'a\\u2028b'],
  ['lone high surrogate', 'a\ud800b', 'a\\ud800b'],
  ['lone low surrogate', 'a\udc00', 'a\\udc00'],
  ['workflow command', '::set-env name=A::b', '\\u003a\\u003aset-env name=A::b'],
  ['workflow command after blanks', '  ::error::x', '  \\u003a\\u003aerror::x'],
  ['old workflow command', 'x ##[error]y', 'x #\\u0023[error]y'],
];

const harmless = ['plain', 'Grüße', '日本語', 'مرحبا', '🙂 ❤️', 'a::b', '# [x]', 'it\'s "quoted" \\n'];

describe('text from elsewhere', () => {
  test.each(harmful)('%s is shown as its escape', (_name, text, shown) => {
    expect(safeLine(text)).toBe(shown);
  });

  test.each(harmful)('%s reads back the same from JSON and stands nowhere in it', (_name, text) => {
    const json = safeJson({ text, [text]: 1 });
    expect(JSON.parse(json)).toEqual({ text, [text]: 1 });
    expect(json).not.toMatch(
      /(?![\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]|^\s*::|##\[/u,
    );
  });

  test.each(harmless)('%s stays as it is', (text) => {
    expect(safeLine(text)).toBe(text);
    expect(JSON.parse(safeJson(text))).toBe(text);
  });

  test('of several lines is made safe line by line', () => {
    expect(safeLines('a\n::error::b\r\nc\td\u202e')).toEqual([
      'a',
      '\\u003a\\u003aerror::b',
      'c    d\\u202e',
    ]);
  });

  test('whatever it is, no byte moves a cursor and JSON keeps the value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(safeLine(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(JSON.parse(safeJson({ text }))).toEqual({ text });
      }),
      { numRuns: 2000 },
    );
  });
});
