import type { Flight } from './flight.ts';

const standIn = '[token]';

/** A cut-off token this long reveals enough that it must be removed. */
const leastBeginning = 8;

type Finder = { readonly token: string; readonly spellings: readonly string[]; readonly all: RegExp };

let last: Finder | undefined;

/** All rows of a batch use the same token. */
function finderOf(token: string): Finder {
  if (last?.token === token) return last;
  // The longest first, because one spelling may begin with another.
  const spellings = spellingsOf(token).sort((one, other) => other.length - one.length);
  const literals = spellings.map((spelling) => spelling.replaceAll(/[^\w%]/gu, '\\$&'));
  last = { token, spellings, all: new RegExp(literals.join('|'), 'g') };
  return last;
}

function withoutBeginning(text: string, { spellings }: Finder): string {
  for (
    let at = Math.max(0, text.length - (spellings[0]?.length ?? 0));
    at <= text.length - leastBeginning;
    at += 1
  ) {
    const end = text.slice(at);
    if (spellings.some((spelling) => spelling.startsWith(end))) return `${text.slice(0, at)}${standIn}`;
  }
  return text;
}

/**
 * A service may echo the token, for example in an error. It is removed here in all forms that `spellingsOf` lists, so
 * that the journal and the terminal never show it. The forms are ASCII, so each byte is read as one character.
 */
export function withoutToken(flight: Flight, token: string): Flight {
  if (flight.came === 'nothing' || token.length < leastTellingLength) return flight;
  const finder = finderOf(token);
  const before = Buffer.from(flight.body.buffer, flight.body.byteOffset, flight.body.byteLength).toString(
    'latin1',
  );
  const whole = before.replace(finder.all, standIn);
  const after = flight.ended === 'whole' ? whole : withoutBeginning(whole, finder);
  const headers = Object.entries(flight.headers).map(
    ([name, value]) => [name, value.replace(finder.all, standIn)] as const,
  );
  const isClean = after === before && headers.every(([name, value]) => flight.headers[name] === value);
  // Most replies do not contain it and are not copied.
  if (isClean) return flight;
  return { ...flight, headers: Object.fromEntries(headers), body: Buffer.from(after, 'latin1') };
}

type Spelled = Readonly<Record<string, string>>;

const inHtml = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** HTML libraries escape quotation marks in different ways. */
const htmlQuotes: readonly Spelled[] = [
  {},
  { "'": '&#39;' },
  { "'": '&#x27;' },
  { "'": '&apos;' },
  { '"': '&#34;', "'": '&#39;' },
];

/** Characters that some JSON libraries escape although they need not. */
const jsonExtras: readonly Spelled[] = [
  {},
  { '/': '\\/' },
  { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' },
  { '<': '\\u003C', '>': '\\u003E', '&': '\\u0026' },
];

function spelled(text: string, as: Spelled): string {
  return [...text].map((character) => as[character] ?? character).join('');
}

function percentSpellings(token: string): string[] {
  const lenient = encodeURIComponent(token);
  const strict = lenient.replaceAll(
    /[!'()*]/gu,
    (one) => `%${Buffer.from(one).toString('hex').toUpperCase()}`,
  );
  return [lenient, strict].flatMap((text) => [text, text.replaceAll(/%../gu, (code) => code.toLowerCase())]);
}

/** Every character as a numeric reference, as some cautious libraries do. */
function byNumber(token: string): string[] {
  const spell = (as: (hex: string, code: number) => string): string =>
    [...token].map((one) => as(one.charCodeAt(0).toString(16), one.charCodeAt(0))).join('');
  return [
    spell((hex) => `%${hex}`),
    spell((hex) => `%${hex.toUpperCase()}`),
    spell((hex) => `\\u00${hex}`),
    spell((hex) => `\\u00${hex.toUpperCase()}`),
    spell((_hex, code) => `&#${code};`),
    spell((hex) => `&#x${hex};`),
    spell((hex) => `&#x${hex.toUpperCase()};`),
  ];
}

/** The base64 characters that depend on the token alone, for each number of bytes that may come before it. */
function base64Spellings(token: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), token]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((bytes.length * 8) / 6);
    return [bytes.toString('base64').slice(from, to), bytes.toString('base64url').slice(from, to)];
  });
}

/** The forms in which a service may echo a token: as it is, or escaped or encoded once. */
function spellingsOf(token: string): string[] {
  const bytes = Buffer.from(token, 'latin1');
  const json = JSON.stringify(token).slice(1, -1);
  return [
    ...new Set([
      token,
      ...percentSpellings(token),
      ...byNumber(token),
      ...jsonExtras.map((as) => spelled(json, as)),
      ...htmlQuotes.map((as) => spelled(token, { ...inHtml, ...as })),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      ...base64Spellings(bytes),
    ]),
  ];
}

/** A shorter token cannot be told from other text. Removing it would only break the reply. */
export const leastTellingLength = 8;
