import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Flight, Reply } from '../../../src/once/wire/flight.ts';
import { withoutToken } from '../../../src/once/wire/withoutToken.ts';
import { processorMs } from '../../support/processorTime.ts';

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
const hex = (code: string): string => code.charCodeAt(0).toString(16);
const each = (text: string, as: (one: string) => string): string => [...text].map(as).join('');
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const inPhp = (text: string): string => inJson(text).replaceAll('/', '\\/');

/** Each writes a text so that a reader of this kind gets it back. */
const writers: Readonly<Record<string, (text: string) => string>> = {
  JSON: inJson,
  'JSON of PHP': inPhp,
  'JSON of numbers': (text) => each(text, (one) => `\\u00${hex(one)}`),
  URL: encodeURIComponent,
  'URL of numbers': (text) => each(text, (one) => `%${hex(one)}`),
  HTML: (text) => each(text, (one) => (/[&<>"']/u.test(one) ? `&#${one.charCodeAt(0)};` : one)),
  'HTML of numbers': (text) => each(text, (one) => `&#x${hex(one)};`),
  'HTML of names': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
};

describe('a token that the service echoes is taken out', () => {
  test('wherever it stands, and every other byte stays', () => {
    const body = Buffer.concat([
      Buffer.from('\xff secret-token,', 'latin1'),
      Buffer.from('secret-tokensecret-token\0'),
    ]);
    expect(without(body, 'secret-token')).toBe('\xff [token],[token][token]\0');
  });

  test.each(Object.entries(writers))('from a string of JSON, with what else is in it: %s', (_kind, write) => {
    const rest = '"transfer_id":"tr_1","amount":12345678901234567890';
    expect(without(`{"error":"${inJson(`no: ${write(token)}`)}",${rest}}`, token)).toBe(
      `{"error":"[token]",${rest}}`,
    );
  });

  test.each(Object.entries(writers))(
    'from a text and a header, of which nothing is left: %s',
    (_kind, write) => {
      const spelled = `<a>${write(token)}</a>`;
      expect(without(spelled, token)).toBe('[token]');
      const { headers } = withoutToken(
        reply('', { headers: { 'x-echo': spelled, date: 'd' } }),
        token,
      ) as Reply;
      expect(headers).toEqual({ 'x-echo': '[token]', date: 'd' });
    },
  );

  test('from JSON inside JSON, as PHP writes it', () => {
    const inner = `{"auth":"Bot ${inPhp(token)}"}`;
    expect(without(`{"error":"${inPhp(inner)}","code":1}`, token)).toBe('{"error":"[token]","code":1}');
  });

  test('where it is escaped more often than anybody does', () => {
    let text = token;
    for (let layers = 0; layers < 12; layers += 1) text = encodeURIComponent(text);
    expect(without(`(${text})`, token)).toBe('[token]');
  });

  test('where a reply breaks off in it', () => {
    for (const end of ['Secret/tok', 'Secret%2Ftok', 'Secret\\/tok', 'Secret/tok%2', 'Secret/tok\\u00'])
      expect(without(`{"token":"${end}`, token, { ended: 'broken' })).toBe('[token]');
    expect(without('{"token":"Secret/', token, { ended: 'broken' })).toBe('{"token":"Secret/');
    expect(without('{"token":"Secret/tok', token)).toBe('{"token":"Secret/tok');
  });

  const tokens = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 16,
    maxLength: 40,
  });

  test('in any nest of up to four writers', () => {
    fc.assert(
      fc.property(
        tokens,
        fc.array(fc.constantFrom(...Object.values(writers)), { maxLength: 4 }),
        (secret, layers) => {
          const spelled = layers.reduce((text, write) => write(text), `no: ${secret}.`);
          const body = without(`{"error":"${inJson(spelled)}","transfer_id":"tr_1"}`, secret);
          expect(JSON.parse(body).transfer_id).toBe('tr_1');
          expect(JSON.parse(body).error).toContain('[token]');
          for (let from = 0; from + 8 <= secret.length; from += 1)
            expect(JSON.parse(body).error).not.toContain(secret.slice(from, from + 8));
        },
      ),
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
    const flight: Flight = { came: 'nothing', headersSent: true, trouble: { is: 'no-answer' } };
    expect(withoutToken(flight, 'secret-token')).toBe(flight);
  });

  test('byte for byte, if nothing of the token is in it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(withoutToken(reply(bytes), 'a-token-of-the-bot')).toEqual(reply(bytes));
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
