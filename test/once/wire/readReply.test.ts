import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ParsedReply, readReply, retryAfterMs } from '../../../src/once/wire/flight.ts';
import { processorMs } from '../../support/processorTime.ts';

function read(body: string | Uint8Array, headers: Record<string, string> = {}): ParsedReply {
  return readReply({ body: Buffer.from(body as string), headers });
}

describe('what the service says went wrong', () => {
  test.each<[string, string, ParsedReply['complaint']]>([
    [
      'nested',
      '{"error":{"code":"no_funds","message":"Not enough"}}',
      { code: 'no_funds', message: 'Not enough' },
    ],
    ['nested, with a number', '{"error":{"code":40201,"message":"x"}}', { code: '40201', message: 'x' }],
    ['nested, with a detail', '{"error":{"detail":"why"}}', { message: 'why' }],
    ['flat', '{"code":"no_funds","message":"Not enough"}', { code: 'no_funds', message: 'Not enough' }],
    ['flat, with a text as error', '{"error":"Not enough"}', { message: 'Not enough' }],
    [
      'flat, with error and message',
      '{"error":"Payment","message":"Not enough"}',
      { code: 'Payment', message: 'Not enough' },
    ],
    ['problem details', '{"title":"Payment Required","detail":"Not enough"}', { message: 'Not enough' }],
    ['problem details without detail', '{"title":"Payment Required"}', { message: 'Payment Required' }],
    ['text', 'Not enough\n', { message: 'Not enough' }],
    ['a list', '[1, 2]', { message: '[1, 2]' }],
    ['a JSON text', '"Not enough"', { message: '"Not enough"' }],
    [
      'a page',
      '<!doctype html><html><head><title>502 Bad\n Gateway</title></head><body>nginx</body></html>',
      { message: '502 Bad Gateway' },
    ],
    ['a page without a title', '<h1>Bad</h1>\n<p>Gateway</p>', { message: 'Bad Gateway' }],
    ['a page with an empty title', '<title></title><h1>Bad</h1>', { message: 'Bad' }],
    ['nothing', '', undefined],
    ['blanks', ' \r\n ', undefined],
    ['an empty object', '{}', undefined],
    ['null', '{"error":null}', undefined],
    ['objects where texts should be', '{"error":{"code":{},"message":[]}}', undefined],
    ['an empty text', '{"error":"","message":""}', undefined],
    ['__proto__', '{"__proto__":{"message":"x"}}', undefined],
    ['an error within __proto__', '{"error":{"__proto__":{"message":"x"}}}', undefined],
  ])('%s', (_what, body, complaint) => {
    expect(read(body).complaint).toEqual(complaint);
  });

  test('is shortened, wherever it stands', () => {
    const text = 'x'.repeat(5000);
    for (const body of [text, `<title>${text}</title>`, JSON.stringify({ error: { message: text } })]) {
      expect(read(body).complaint?.message).toBe(`${'x'.repeat(300)}…`);
    }
  });

  test('is not cut in the middle of a character', () => {
    const { complaint } = read(`${'x'.repeat(299)}😀😀`);
    expect(complaint?.message).toBe(`${'x'.repeat(299)}😀…`);
  });
});

describe('a body', () => {
  test('that is an object is kept as it is, unknown fields too', () => {
    expect(read('{"message":{"id":"m"},"x":[1,{"y":null}]}').json).toEqual({
      message: { id: 'm' },
      x: [1, { y: null }],
    });
  });

  test('with a byte order mark is read', () => {
    expect(read('\ufeff{"a":1}').json).toEqual({ a: 1 });
  });

  test.each<[string, string | Uint8Array]>([
    ['a list', '[]'],
    ['a number', '1'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['nothing', ''],
    ['half an object', '{"a":'],
    ['an object and more', '{} {}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['NUL', '\u0000'],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['a million brackets', '['.repeat(1_000_000)],
    ['half a million objects', '{"a":'.repeat(500_000)],
  ])('that is %s is no object', (_what, body) => {
    expect(read(body).json).toBeUndefined();
  });

  test('nested deeper than any stack is an object or none, and no crash', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(() => read(deep)).not.toThrow();
  });

  test('with __proto__ changes no other object', () => {
    const { json } = read('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    expect(Object.keys(json ?? {})).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('with __proto__ says nothing by what it inherits', () => {
    const { json } = read('{"__proto__":{"transfer_id":"t","request_id":"r"}}');
    expect(json?.transfer_id).toBeUndefined();
    expect(read('{"__proto__":{"request_id":"r"}}').requestId).toBeUndefined();
  });

  test('of a megabyte of markup is read at once', async () => {
    const tookMs = await processorMs(() => {
      for (const piece of ['<', '<title', '<title>', '<title><', ' ', '<x>', '&lt;']) {
        read(piece.repeat(Math.floor(1_000_000 / piece.length)));
      }
    });
    expect(tookMs).toBeLessThan(2000);
  });

  test('of any bytes whatever is read without a crash', () => {
    const anything = fc.oneof(
      fc.uint8Array(),
      fc.json().map((json) => Buffer.from(json)),
      fc
        .dictionary(fc.constantFrom('error', 'code', 'message', 'request_id', 'detail'), fc.jsonValue())
        .map((value) => Buffer.from(JSON.stringify(value))),
    );
    fc.assert(
      fc.property(anything, (body) => {
        const { complaint, requestId } = read(body);
        for (const said of [complaint?.code, complaint?.message, requestId]) {
          expect(said === undefined || (typeof said === 'string' && said !== '')).toBe(true);
        }
      }),
    );
  });
});

describe('the request id', () => {
  test.each<[string, string, Record<string, string>, string | undefined]>([
    ['of the body', '{"request_id":"b"}', { 'x-request-id': 'h' }, 'b'],
    ['within the error', '{"error":{"request_id":"e"}}', { 'x-request-id': 'h' }, 'e'],
    ['of the header', '{}', { 'x-request-id': 'h' }, 'h'],
    ['of another header', '', { 'cf-ray': 'c' }, 'c'],
    ['of the first header there is', '', { 'x-correlation-id': 'x', 'request-id': 'r' }, 'r'],
    ['that is empty', '{"request_id":""}', { 'x-request-id': 'h' }, 'h'],
    ['that is no text', '{"request_id":7}', {}, undefined],
    ['of nobody', '', {}, undefined],
  ])('%s', (_what, body, headers, id) => {
    expect(read(body, headers).requestId).toBe(id);
  });
});

const nowMs = Date.UTC(2026, 10, 20, 12, 0, 0);
const inTenSeconds = 'Fri, 20 Nov 2026 12:00:10 GMT';
const tenYearsMs = 10 * 365 * 24 * 3600 * 1000;

describe('how long the service asks to be left alone', () => {
  test.each<[string, Record<string, string>, number | undefined]>([
    ['no word of it', {}, undefined],
    ['seconds', { 'retry-after': '7' }, 7000],
    ['no seconds', { 'retry-after': '0' }, 0],
    ['parts of seconds', { 'retry-after': '0.0015' }, 2],
    ['seconds with blanks', { 'retry-after': ' 7 ' }, 7000],
    ['a date', { 'retry-after': inTenSeconds }, 10_000],
    ['a date gone by', { 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, 0],
    [
      'a date by the service’s own clock',
      { 'retry-after': inTenSeconds, date: 'Fri, 20 Nov 2026 12:00:04 GMT' },
      6000,
    ],
    ['a date beside a broken one', { 'retry-after': inTenSeconds, date: 'never' }, 10_000],
    ['absurd seconds', { 'retry-after': '99999999999999999999' }, tenYearsMs],
    ['more digits than any number', { 'retry-after': '9'.repeat(400) }, tenYearsMs],
    ['an absurd date', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, tenYearsMs],
    ['infinity', { 'retry-after': 'Infinity' }, undefined],
    ['less than nothing', { 'retry-after': '-5' }, undefined],
    ['an exponent', { 'retry-after': '1e3' }, undefined],
    ['no number', { 'retry-after': 'soon' }, undefined],
    ['nothing at all', { 'retry-after': '' }, undefined],
    ['said twice', { 'retry-after': '3, 7' }, 7000],
  ])('%s', (_what, headers, askedMs) => {
    expect(retryAfterMs(headers, nowMs)).toBe(askedMs);
  });
});
