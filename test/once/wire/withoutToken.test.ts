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
    ['in hexadecimal', hex(token)],
    ['in hexadecimal, large', hex(token).toUpperCase()],
  ])('%s', (_how, spelled) => {
    expect(without(`<a>${spelled}</a>`, token)).toBe('<a>[token]</a>');
    const { headers } = withoutToken(reply('', { headers: { 'x-echo': `é ${spelled}` } }), token) as Reply;
    expect(headers['x-echo']).toBe('é [token]');
  });

  test('where a reply breaks off in it', () => {
    expect(without('{"token":"Secret/tok', token, { ended: 'broken' })).toBe('{"token":"[token]');
    expect(without('{"token":"Secret%2Ftok', token, { ended: 'too-long' })).toBe('{"token":"[token]');
    expect(without('{"token":"Secret/', token, { ended: 'broken' })).toBe('{"token":"Secret/');
    expect(without('{"token":"Secret/tok', token)).toBe('{"token":"Secret/tok');
  });

  const tokens = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
    maxLength: 40,
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
