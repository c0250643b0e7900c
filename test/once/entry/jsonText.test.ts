import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeUtf8, parseJson, placeIn, readJson } from '../../../src/once/entry/jsonText.ts';
import { failureOf } from '../../support/failure.ts';

async function faultOf(json: string): Promise<string> {
  const failure = await failureOf(() => parseJson(json, 'body.json'));
  expect(failure.code).toBe('bad-file');
  return failure.message.replace(/^body\.json, /u, '');
}

async function badBytes(...parts: (string | number[])[]): Promise<string> {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const failure = await failureOf(() => decodeUtf8(bytes, 'f'));
  expect(failure.code).toBe('bad-file');
  return failure.message.replace(': the bytes are not valid UTF-8.', '');
}

describe('what is not JSON is refused with its line and column', () => {
  test.each([
    ['', 'line 1, column 1: not JSON'],
    ['{"a": }', 'line 1, column 7: not JSON'],
    ['{\n  "a": 1,\n  "b" 2\n}', 'line 3, column 7: not JSON'],
    ['{"a": 1,}', 'line 1, column 9: not JSON'],
    ['{"a": 1 // why\n}', 'line 1, column 9: not JSON'],
    ["{'a': 1}", 'line 1, column 2: not JSON'],
    ['{"a": 01}', 'line 1, column '],
    ['{"a": "x\ny"}', 'line 1, column '],
    ['{"a": "\u0001"}', 'line 1, column '],
    ['{"a": "unfinished', 'line 1, column '],
    ['{"a": 1} {"b": 2}', 'line 1, column 10: not JSON'],
    ['[1, 2', 'line 1, column '],
    ['\u00a0{}', 'line 1, column 1: not JSON'],
  ])('%j', async (json, fault) => {
    expect(await faultOf(json)).toContain(fault);
  });

  test('whatever JSON.parse takes is read the same; whatever it refuses is refused', () => {
    const texts = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.string(),
      fc.stringMatching(/^[[\]{}",:0-9a-z\\. \n-]{0,12}$/u),
    );
    fc.assert(
      fc.property(texts, (json) => {
        let expected: unknown;
        try {
          expected = JSON.parse(json);
        } catch {
          expect(readJson(json)).toMatchObject({
            fault: { is: expect.stringMatching(/^(?:not-json|syntax)$/u) },
          });
          return;
        }
        const read = readJson(json);
        if ('value' in read) expect(read.value).toEqual(expected);
        // Stricter in two things only.
        else expect(['key-twice', 'inexact-number']).toContain(read.fault.is);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a key given twice in one object is refused where it is given again', () => {
  test.each([
    ['{"a": 1, "a": 2}', 'line 1, column 10: the field "a" is given twice in one object.'],
    ['{"a": 1,\n "\\u0061": 2}', 'line 2, column 2: the field "a" is given twice in one object.'],
    ['{"x": [{"b": 1, "b": 1}]}', 'line 1, column 17: the field "b" is given twice in one object.'],
    [
      '{"__proto__": 1, "__proto__": 2}',
      'line 1, column 18: the field "__proto__" is given twice in one object.',
    ],
  ])('%s', async (json, fault) => {
    expect(await faultOf(json)).toBe(fault);
  });

  test('the same key in two objects is fine', () => {
    expect(parseJson('[{"a": {"a": 1}}, {"a": 2}]', 'f')).toEqual([{ a: { a: 1 } }, { a: 2 }]);
    expect(parseJson('{"b": {"a": 1}, "a": 2}', 'f')).toEqual({ b: { a: 1 }, a: 2 });
  });
});

describe('depth', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

  const objects = (levels: number): string => '{"a":'.repeat(levels) + 1 + '}'.repeat(levels);
  const beside = '[],{},'.repeat(100);

  test('64 levels are read, and any number side by side', () => {
    expect(parseJson(nested(64), 'f')).toBeInstanceOf(Array);
    for (const deep of [nested(63), objects(63)])
      expect(parseJson(`[${beside}${deep}]`, 'f')).toHaveLength(201);
  });

  test.each([nested(64), objects(64)])('more are refused behind others, too', async (deep) => {
    expect(await faultOf(`[${beside}${deep}]`)).toContain('nested deeper than 64 levels');
  });

  test.each([65, 1000, 500_000])('%i levels are refused, without overflowing the stack', async (levels) => {
    expect(await faultOf(nested(levels))).toBe('line 1, column 65: it is nested deeper than 64 levels.');
  });
});

describe('numbers that would not arrive as they are written are refused', () => {
  test.each([
    ...['1e999', '-1e999', '12345678901234567890', '9007199254740993', '0.12345678901234567890'],
    ...['0.1234567890123456', '1234567890123456.0', `1.${'0'.repeat(399)}`],
  ])('%s', async (number) => {
    expect(await faultOf(`{"a": ${number}}`)).toBe(
      `line 1, column 7: the number would lose digits; write it as a string.`,
    );
  });

  test.each([
    '0',
    '-0',
    '-1',
    '1.5',
    '1.50',
    '1e3',
    '0.1',
    '9007199254740991',
    '1000000000000000000000',
    '1e-7',
    '0.123456789012345',
    `1.${'0'.repeat(398)}`,
  ])('%s is fine', (number) => {
    expect(parseJson(number, 'f')).toBe(Number(number));
  });
});

describe('__proto__', () => {
  test('is a key like any other and changes no object', () => {
    const read = parseJson('{"__proto__": {"polluted": true}}', 'f') as Record<string, unknown>;
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('bytes that are not UTF-8 are refused with the place of the first bad one', () => {
  test.each<[string, (string | number[])[], string]>([
    ['a byte that begins nothing', ['ab', [0xff]], 'f, line 1, column 3'],
    ['a byte that only continues', ['ab\n', [0x80], 'c'], 'f, line 2, column 1'],
    ['a sequence that breaks off at the end', ['€', [0xe2, 0x82]], 'f, line 1, column 2'],
    ['a sequence that breaks off in the middle', ['é\né', [0xc3], 'x'], 'f, line 2, column 2'],
    ['an overlong slash', [[0xc0, 0xaf]], 'f, line 1, column 1'],
    ['half a surrogate pair', ['x', [0xed, 0xa0, 0x80]], 'f, line 1, column 2'],
    ['beyond Unicode', [[0xf4, 0x90, 0x80, 0x80]], 'f, line 1, column 1'],
    ['behind the sign for what cannot be shown', ['\ufffd', [0xff]], 'f, line 1, column 2'],
    ['a byte like the first of that sign', ['ab', [0xef], 'x'], 'f, line 1, column 3'],
    ['two bytes like the first of that sign', ['ab', [0xef, 0xbf], 'x'], 'f, line 1, column 3'],
    ['two bytes like the first of that sign, at the end', ['ab\n', [0xef, 0xbf]], 'f, line 2, column 1'],
    ['behind a byte order mark', [[0xef, 0xbb, 0xbf], 'a', [0xff]], 'f, line 1, column 2'],
    ['UTF-16', [[0xff, 0xfe, 0x7b, 0x00]], 'f, line 1, column 1'],
    ['behind characters of two UTF-16 units', ['😀😀', [0xff]], 'f, line 1, column 3'],
  ])('%s', async (_what, parts, place) => {
    expect(await badBytes(...parts)).toBe(place);
  });

  test('a megabyte before it is no hindrance', async () => {
    expect(await badBytes('x\n'.repeat(500_000), [0xff])).toBe('f, line 500001, column 1');
  });

  test('a byte order mark is skipped, and only one', () => {
    expect(decodeUtf8(Buffer.from('\ufeff{}'), 'f')).toBe('{}');
    expect(decodeUtf8(Buffer.from('\ufeff\ufeff'), 'f')).toBe('\ufeff');
  });

  test('every text comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.startsWith('\ufeff'));
        expect(decodeUtf8(Buffer.from(text), 'f')).toBe(text);
      }),
    );
  });
});

describe('the place of a value', () => {
  const json = '{\n  "a": 1, "é😀": {\n "b": [5,\n  {"c": 1}] }\n}';
  test.each<[string[], number, number]>([
    [['a'], 2, 3],
    [['é😀'], 2, 11],
    [['é😀', 'b'], 3, 2],
    [['é😀', 'x', 'y'], 2, 11],
    [['é😀', 'b', 'x'], 3, 2],
    [['x'], 1, 1],
    [[], 1, 1],
  ])('%j is line %i, column %i', (path, line, column) => {
    expect(placeIn(json, path)).toEqual({ line, column });
    expect(placeIn(`\n${json}`, path)).toEqual(line === 1 ? { line, column } : { line: line + 1, column });
  });

  test('of a list is that of the value, and of no JSON the beginning', () => {
    expect(placeIn('[\n [1]]', [0 as never])).toEqual({ line: 2, column: 2 });
    expect(placeIn('', ['a'])).toEqual({ line: 1, column: 1 });
  });
});
