import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Flight, Reply } from '../../../src/once/wire/flight.ts';
import { withoutToken } from '../../../src/once/wire/withoutToken.ts';
import { processorMs } from '../../../testing/processorTime.ts';

function reply(body: string | Uint8Array, change: Partial<Reply> = {}): Reply {
  return {
    came: 'reply',
    status: 200,
    headers: {},
    body: Buffer.from(body as string),
    ended: 'whole',
    ...change,
  };
}

function without(body: string | Uint8Array, token: string, change: Partial<Reply> = {}): string {
  const flight = withoutToken(reply(body, change), token) as Reply;
  return Buffer.from(flight.body).toString('latin1');
}

const token = 'Secret/token+"0\\9&<>\'';
const hex = (text: string): string => Buffer.from(text).toString('hex');
const unhex = (code: string): string => Buffer.from(code, 'hex').toString('latin1');
const each = (text: string, as: (code: string) => string): string =>
  [...text].map((one) => as(hex(one))).join('');
const html = (text: string, marks: Readonly<Record<string, string>>): string =>
  text.replaceAll(/[&<>"']/gu, (one) => marks[one] ?? one);
const named = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

describe('a token that the service echoes is taken out', () => {
  test('wherever it stands, and every other byte stays', () => {
    const body = Buffer.concat([
      Buffer.from('\xff secret-token,', 'latin1'),
      Buffer.from('secret-tokensecret-token\0'),
    ]);
    expect(without(body, 'secret-token')).toBe('\xff [token],[token][token]\0');
  });

  test.each<[string, string]>([
    ['as it is', token],
    ['as a URL has it', encodeURIComponent(token)],
    [
      'as a URL has it, in small letters',
      encodeURIComponent(token).replaceAll(/%../gu, (one) => one.toLowerCase()),
    ],
    ['as a strict URL has it', encodeURIComponent(token).replaceAll("'", '%27')],
    ['as JSON has it', JSON.stringify(token).slice(1, -1)],
    ['as PHP writes JSON', JSON.stringify(token).slice(1, -1).replaceAll('/', '\\/')],
    [
      'as Go writes JSON',
      html(JSON.stringify(token).slice(1, -1), { '&': '\\u0026', '<': '\\u003c', '>': '\\u003e' }),
    ],
    ['as HTML has it', html(token, named)],
    ['as Python writes HTML', html(token, { ...named, "'": '&#x27;' })],
    ['as Go writes HTML', html(token, { ...named, '"': '&#34;', "'": '&#39;' })],
    ['by numbers, as a URL', each(token, (code) => `%${code}`)],
    ['by numbers, as JSON', each(token, (code) => `\\u00${code.toUpperCase()}`)],
    ['by numbers, as HTML', each(token, (code) => `&#${Number.parseInt(code, 16)};`)],
    ['as .NET writes JSON', JSON.stringify(token).slice(1, -1).replaceAll('+', '\\u002B')],
    [
      'as Gson writes JSON of HTML',
      'Secret/token\\u0026#43;\\u0026#34;0\\\\9\\u0026amp;\\u003c\\u003e\\u0026#x27;',
    ],
    ['in hexadecimal', hex(token)],
    ['in hexadecimal, large', hex(token).toUpperCase()],
  ])('%s', (_how, spelled) => {
    expect(without(`<a>${spelled}</a>`, token)).toBe('<a>[token]</a>');
    const { headers } = withoutToken(reply('', { headers: { 'x-echo': `é ${spelled}` } }), token) as Reply;
    expect(headers['x-echo']).toBe('é [token]');
  });

  const tokens = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
    maxLength: 40,
  });

  const hexOf = (one: string): fc.Arbitrary<string> => fc.constantFrom(hex(one), hex(one).toUpperCase());
  const zeros = fc.nat({ max: 7 }).map((count) => '0'.repeat(count));
  /** One character in any of the ways of JSON, URLs and HTML. */
  const anyWay = (one: string): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constant(one),
      hexOf(one).map((code) => `\\u00${code}`),
      hexOf(one).map((code) => `%${code}`),
      zeros.map((zero) => `&#${zero}${one.charCodeAt(0)};`),
      fc
        .tuple(fc.constantFrom('x', 'X'), zeros, hexOf(one))
        .map(([x, zero, code]) => `&#${x}${zero}${code};`),
    );
  const mixtures = (of: string): fc.Arbitrary<string> =>
    fc.tuple(...[...of].map(anyWay)).map((pieces) => pieces.join(''));
  const writers: readonly ((text: string) => string)[] = [
    (text) => `<p>${text}</p>`,
    (text) => JSON.stringify({ error: text }),
    (text) => JSON.stringify({ error: text }).replaceAll('/', '\\/'),
    // As libraries do that leave only letters and digits.
    (text) => `"${each(text, (code) => (/\w/u.test(unhex(code)) ? unhex(code) : `\\u00${code}`))}"`,
  ];

  test('in any mixture of spellings, in a text or in JSON, parsed or not', () => {
    fc.assert(
      fc.property(
        tokens.chain((secret) => fc.tuple(fc.constant(secret), mixtures(secret))),
        fc.constantFrom(...writers),
        ([secret, spelled], write) => {
          const body = without(write(`(${spelled})`), secret);
          expect(body).toBe(write('(HERE)').replace('HERE', '[token]'));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('where a reply breaks off in any mixture of spellings', () => {
    fc.assert(
      fc.property(
        tokens.chain((secret) => fc.tuple(fc.constant(secret), fc.tuple(...[...secret].map(anyWay)))),
        fc.nat(),
        fc.nat(),
        fc.constantFrom('broken', 'too-long'),
        ([secret, pieces], many, some, ended) => {
          const whole = 8 + (many % (pieces.length - 7));
          const next = pieces[whole] ?? '';
          const text = pieces.slice(0, whole).join('') + next.slice(0, some % Math.max(1, next.length));
          expect(without(`(${text}`, secret, { ended: ended as 'broken' })).toBe('([token]');
        },
      ),
      { numRuns: 500 },
    );
  });

  test('where a reply breaks off in it', () => {
    expect(without('{"token":"Secret/tok', token, { ended: 'broken' })).toBe('{"token":"[token]');
    expect(without('{"token":"Secret%2Ftok', token, { ended: 'too-long' })).toBe('{"token":"[token]');
    expect(without('{"token":"Secret/', token, { ended: 'broken' })).toBe('{"token":"Secret/');
    expect(without('{"token":"Secret/tok', token)).toBe('{"token":"Secret/tok');
  });

  test('in base64, wherever it stands in the bytes', () => {
    const some = fc.uint8Array({ maxLength: 9 });
    fc.assert(
      fc.property(tokens, some, some, (secret, before, after) => {
        const bytes = Buffer.concat([before, Buffer.from(secret), after]);
        for (const encoding of ['base64', 'base64url'] as const) {
          const body = without(bytes.toString(encoding), secret);
          expect(body).toContain('[token]');
          for (const run of body.split('[token]')) {
            for (const from of [0, 1, 2, 3]) {
              expect(Buffer.from(run.slice(from), 'base64').toString('latin1')).not.toContain(secret);
            }
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a reply stays as it is', () => {
  test.each(['', '1', 'error'])('if the token is as short as %j', (secret) => {
    const body = '{"error":1,"transfer_id":"t1"}';
    expect(without(body, secret)).toBe(body);
  });

  test('if it never came', () => {
    const flight: Flight = { came: 'nothing', headersSent: true, trouble: { is: 'reset' } };
    expect(withoutToken(flight, 'secret-token')).toBe(flight);
  });

  test('byte for byte, if nothing of the token is in it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const flight = reply(bytes);
        expect(withoutToken(flight, 'a-token-of-the-bot')).toBe(flight);
      }),
    );
  });
});

// What is bounded here is what a hostile service could do: a second is far more than any of it takes.
test.each([
  '{"id":"msg_123"},',
  '\\',
  '%25',
  '&amp;',
  'a',
  'YS10b2tlb',
  '612d746f',
  'a-token-of-the-bot-012345678_',
])('no body of %j makes it slow', async (piece) => {
  const body = piece.repeat(2 ** 16).slice(0, 2 ** 16);
  for (const secret of [
    'a-token-of-the-bot-0123456789',
    '\\'.repeat(40),
    '%25'.repeat(20),
    `${'a'.repeat(60)}b`,
  ]) {
    const ms = await processorMs(() => without(body, secret, { ended: 'broken' }));
    expect(ms, secret).toBeLessThan(2000);
  }
});
