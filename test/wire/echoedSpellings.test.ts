import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Flight, Reply } from '../../src/wire/flight.ts';
import { withoutToken } from '../../src/wire/withoutToken.ts';
import { processorMs } from '../../testing/processorTime.ts';

function reply(body: string, change: Partial<Reply> = {}): Flight {
  return { came: 'reply', status: 200, headers: {}, body: Buffer.from(body), ended: 'whole', ...change };
}

function without(body: string, token: string, change: Partial<Reply> = {}): string {
  const flight = withoutToken(reply(body, change), token);
  return flight.came === 'reply' ? Buffer.from(flight.body).toString() : '';
}

const token = 'Secret/token+"0\\9&<>';
const hex = (text: string): string => Buffer.from(text).toString('hex');
const each = (text: string, spell: (hex: string) => string): string =>
  [...text].map((character) => spell(hex(character))).join('');
const names = new Map([...'&<>"\''].map((one, index) => [one, ['amp', 'lt', 'gt', 'quot', 'apos'][index]]));

describe('a token is taken out where it stands', () => {
  test.each<[string, string]>([
    ['as it is', token],
    ['as a URL has it', encodeURIComponent(token)],
    [
      'as a URL has it, in small letters',
      encodeURIComponent(token).toLowerCase().replace('secret', 'Secret'),
    ],
    ['as a URL has it, all of it', each(token, (digits) => `%${digits}`)],
    ['as a URL in a URL has it', encodeURIComponent(encodeURIComponent(token))],
    ['as HTML has it', token.replaceAll(/[&<>"]/gu, (one) => `&${names.get(one)};`)],
    ['as HTML has it, in decimal', each(token, (digits) => `&#${Number.parseInt(digits, 16)};`)],
    ['as HTML has it, in hexadecimal', each(token, (digits) => `&#x00${digits.toUpperCase()};`)],
    ['as HTML in HTML has it', each(token, (digits) => `&amp;#x${digits};`)],
    ['as JSON has it', JSON.stringify(token)],
    ['as JSON has it, escaped', each(token, (digits) => `\\u00${digits}`)],
    ['as JSON in JSON has it', JSON.stringify(JSON.stringify(token))],
    ['as JSON in JSON in JSON has it', JSON.stringify(JSON.stringify(JSON.stringify(token)))],
    ['as JSON in JSON has it, escaped', each(token, (digits) => `\\\\u00${digits.toUpperCase()}`)],
    ['as JavaScript has it', each(token, (digits) => `\\x${digits}`)],
    ['as JSON in a URL has it', encodeURIComponent(JSON.stringify(token))],
    ['as JSON in HTML has it', JSON.stringify(token).replaceAll(/[&<>"]/gu, (one) => `&${names.get(one)};`)],
    ['in hexadecimal', hex(token)],
    ['in hexadecimal, large', hex(token).toUpperCase()],
    ['in base64', Buffer.from(token).toString('base64')],
    ['in base64url', Buffer.from(`~~~${token}???`).toString('base64url')],
    ['in base64 after one byte', Buffer.from(`:${token}`).toString('base64')],
    ['in base64 after two bytes', Buffer.from(`??${token}, and more`).toString('base64')],
    ['in base64 in JSON', Buffer.from(`??${token}`).toString('base64').replaceAll('/', '\\/')],
    ['in base64 in a URL', encodeURIComponent(Buffer.from(`?${token}`).toString('base64'))],
    ['in base64 of several lines', Buffer.from(token).toString('base64').replaceAll(/.{9}/gu, '$&\r\n')],
    ['in base64 of lines in JSON', Buffer.from(token).toString('base64').replaceAll(/.{9}/gu, '$&\\n')],
  ])('%s', (_how, spelled) => {
    const body = without(`<a>${spelled}</a>`, token);
    expect(body).toContain('[token]');
    // What is left is what stood before and after, and at most the ends of a base64 group.
    expect(body.replaceAll(/^<a>|\[token\]|<\/a>$/gu, '').length).toBeLessThanOrEqual(
      spelled.length - token.length,
    );
    const { headers } = withoutToken(reply('', { headers: { 'x-echo': `é ${spelled}` } }), token) as Reply;
    expect(headers['x-echo']).toMatch(/^é .*\[token\]/u);
  });

  test.each(['&#92;', '%5c', '\\\\u005c', '&amp;#x5c;'])(
    'where it has two backslashes, and %s is followed by another spelling of one',
    (backslash) => {
      expect(without(`!!!!${backslash}\\\\\\\\u005c!!!!`, '!!!!\\\\!!!!')).toBe('[token]');
    },
  );

  test.each([
    ['\\u005c\\\\u005c', 3],
    ['\\u005c\\u005c', 2],
    ['%5c\\u005c\\\\u005c%5c', 5],
  ])('where its backslashes are spelled %s', (spelled, count) => {
    expect(without(`before${spelled}after`, `before${'\\'.repeat(count)}after`)).toBe('[token]');
  });

  test('and where a reply breaks off in it', () => {
    expect(without('{"token":"Secret/tok', token, { ended: 'broken' })).toBe('{"token":"[token]');
    expect(without('{"token":"Secret', token, { ended: 'broken' })).toBe('{"token":"Secret');
    expect(without('{"token":"Secret/tok', token)).toBe('{"token":"Secret/tok');
  });
});

type Spelling = (character: string) => string;

const spellings: readonly Spelling[] = [
  (one) => one,
  (one) => `%${hex(one)}`,
  (one) => `%${hex(one).toUpperCase()}`,
  (one) => `&#${one.charCodeAt(0)};`,
  (one) => `&#x${hex(one)};`,
  (one) => (names.has(one) ? `&${names.get(one)};` : one),
  (one) => `\\u00${hex(one)}`,
  (one) => `\\u00${hex(one).toUpperCase()}`,
  (one) => `\\\\u00${hex(one)}`,
  (one) => `\\\\\\\\u00${hex(one)}`,
  (one) => JSON.stringify(one).slice(1, -1),
  (one) => `%25${hex(one)}`,
  (one) => `&amp;#${one.charCodeAt(0)};`,
];

const decoders: readonly ((text: string) => string)[] = [
  (text) =>
    text.replaceAll(/%([\da-f]{2})/giu, (_all, digits) => String.fromCharCode(Number.parseInt(digits, 16))),
  (text) =>
    text.replaceAll(
      /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/giu,
      (all, decimal, digits, name) => {
        if (name !== undefined) return [...names].find(([, known]) => known === name)?.[0] ?? all;
        return String.fromCharCode(Number.parseInt(decimal ?? digits, decimal === undefined ? 16 : 10));
      },
    ),
  (text) =>
    text.replaceAll(/\\(?:u00([\da-f]{2})|(["\\/]))/giu, (_all, digits, one) =>
      one === undefined ? String.fromCharCode(Number.parseInt(digits, 16)) : one,
    ),
];

/** The text, and whatever comes of it when it is decoded up to so many times, in any order. */
function decodings(text: string, times: number): string[] {
  if (times === 0) return [text];
  return [text, ...decoders.flatMap((decode) => decodings(decode(text), times - 1))];
}

function base64Readings(text: string): string[] {
  return [...text.matchAll(/[\w+/-]{8,}/gu)].flatMap(([run]) =>
    [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('latin1')),
  );
}

const tokens = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 8,
  maxLength: 40,
});

const noise = fc.string({ unit: fc.constantFrom(...'ab1 %25&#x;\\u00"</+-=\n'), maxLength: 20 });

// What is read in more than one way, when one stands beside another.
const awkward = fc.string({ unit: fc.constantFrom(...'\\\\\\%&u05c;#'), minLength: 8, maxLength: 12 });

describe('no decoding shows a token', () => {
  test('that was spelled in any mixture of ways', () => {
    const mixtures = fc.oneof(tokens, awkward).chain((secret) =>
      fc.record({
        secret: fc.constant(secret),
        ways: fc.array(fc.constantFrom(...spellings), { minLength: secret.length, maxLength: secret.length }),
      }),
    );
    fc.assert(
      fc.property(mixtures, noise, noise, ({ secret, ways }, before, after) => {
        const spelled = [...secret].map((one, index) => ways[index]?.(one)).join('');
        const body = without(`${before}${spelled}${after}`, secret);
        expect(body).toContain('[token]');
        for (const text of decodings(body, 3)) expect(text.includes(secret)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('in base64 or hexadecimal, wherever it stands in the bytes', () => {
    fc.assert(
      fc.property(
        tokens,
        fc.uint8Array({ maxLength: 9 }),
        fc.uint8Array({ maxLength: 9 }),
        (secret, before, after) => {
          const bytes = Buffer.concat([before, Buffer.from(secret), after]);
          for (const encoding of ['base64', 'base64url', 'hex'] as const) {
            const body = without(`{"a":"${bytes.toString(encoding)}"}`, secret);
            expect(body).toContain('[token]');
            for (const text of base64Readings(body)) expect(text.includes(secret)).toBe(false);
            expect(Buffer.from(body.replaceAll(/[^\da-f]/gu, ''), 'hex').toString('latin1')).not.toContain(
              secret,
            );
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

test('what has nothing of the token stays as it is, byte for byte', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const flight = withoutToken(reply('', { body: bytes }), 'a-token-of-the-bot') as Reply;
      expect(Buffer.from(flight.body).equals(bytes)).toBe(true);
    }),
  );
});

// What is bounded here is what a hostile service could do: a second is far more than any of it takes.
describe('no body is slow', () => {
  const long = (text: string): string => text.repeat(2 ** 16).slice(0, 2 ** 16);
  const secrets = [
    'a-token-of-the-bot-0123456789',
    '\\'.repeat(40),
    `${'\\'.repeat(10)}x`,
    '%25'.repeat(20),
    `${'a'.repeat(60)}b`,
  ];
  test.each([
    '{"id":"msg_123","status":"sent"},',
    '{\\"id\\":\\"msg_123\\"},',
    ...['\\', '%', '&', '%25', '%5C', '&amp;', '&#x26;', '\\u005c'],
    ...['a', 'YS10b2tlb', '612d746f', 'a-token-of-the-bot-012345678_'],
  ])('of %j', async (piece) => {
    for (const secret of secrets) {
      expect(await processorMs(() => without(long(piece), secret)), secret).toBeLessThan(2000);
    }
  });
});
