import type { Flight } from './flight.ts';

const standIn = '[token]';

/** A cut-off token this long reveals enough that it must be removed. */
const leastBeginning = 8;

/** What to look for: `beginning` finds where a spelling of one of the words may begin. */
type Finder = { readonly token: string; readonly words: readonly string[]; readonly beginning: RegExp };

let last: Finder | undefined;

/** All rows of a batch use the same token. */
function finderOf(token: string): Finder {
  if (last?.token === token) return last;
  const bytes = Buffer.from(token, 'latin1');
  const hex = bytes.toString('hex');
  const words = [...new Set([token, hex, hex.toUpperCase(), ...base64Spellings(bytes)])];
  const pairs = words.map((word) => `${codeAt(word, 0)}[${codeAt(word, 1)}\\\\%&]`);
  last = { token, words, beginning: new RegExp(`[\\\\%&]|${pairs.join('|')}`, 'g') };
  return last;
}

const codeAt = (word: string, index: number): string => `\\x${word.charCodeAt(index).toString(16)}`;

/**
 * A service may echo the token, for example in an error. It is removed here however it is spelled, so that the journal
 * and the terminal never show it. All spellings are ASCII, so each byte is read as one character.
 */
export function withoutToken(flight: Flight, token: string): Flight {
  if (flight.came === 'nothing' || token.length < leastTellingLength) return flight;
  const finder = finderOf(token);
  const before = Buffer.from(flight.body.buffer, flight.body.byteOffset, flight.body.byteLength).toString(
    'latin1',
  );
  const after = cleaned(before, finder, flight.ended !== 'whole');
  const headers = Object.entries(flight.headers).map(
    ([name, value]) => [name, cleaned(value, finder, false)] as const,
  );
  const isClean = after === before && headers.every(([name, value]) => flight.headers[name] === value);
  // Most replies do not contain it and are not copied.
  if (isClean) return flight;
  return { ...flight, headers: Object.fromEntries(headers), body: Buffer.from(after, 'latin1') };
}

/** First in what a parser of JSON would read, so that no part of an escape is left behind. */
function cleaned(text: string, finder: Finder, isCut: boolean): string {
  const clean = text.includes('\\') ? cleanedParsed(text, finder, isCut) : text;
  return without(clean, spellingsIn(clean, finder, isCut));
}

const jsonEscape = /\\(?:u00([\da-f]{2})|(["\\/]))/gi;

function cleanedParsed(text: string, finder: Finder, isCut: boolean): string {
  const begins: number[] = [];
  let at = 0;
  const parsed = text.replace(jsonEscape, (found, hex: string | undefined, short: string, from: number) => {
    while (at < from) begins.push(at++);
    begins.push(at);
    at += found.length;
    return hex === undefined ? short : String.fromCharCode(Number.parseInt(hex, 16));
  });
  const rawAt = (index: number): number => begins[index] ?? at + index - begins.length;
  const spans = spellingsIn(parsed, finder, isCut);
  return without(
    text,
    spans.map(({ from, to }) => ({ from: rawAt(from), to: rawAt(to) })),
  );
}

type Span = { readonly from: number; readonly to: number };

function without(text: string, spans: readonly Span[]): string {
  const kept = spans.map(({ from }, index) => text.slice(spans[index - 1]?.to ?? 0, from));
  return [...kept, text.slice(spans.at(-1)?.to ?? 0)].join(standIn);
}

function spellingsIn(text: string, { words, beginning }: Finder, isCut: boolean): Span[] {
  const spans: Span[] = [];
  beginning.lastIndex = 0;
  for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
    const from = found.index;
    const to = words.map((word) => endOf(word, text, from, isCut)).find((end) => end !== undefined);
    if (to !== undefined) spans.push({ from, to });
    beginning.lastIndex = to ?? from + 1;
  }
  return spans;
}

/** One character as JSON, a URL or HTML escape it. */
const escapes =
  /\\u00([\da-f]{2})|%([\da-f]{2})|&#x0{0,7}([\da-f]{2});|&#0{0,7}(\d{2,3});|&(amp|lt|gt|quot|apos);/iy;

/** Where a text may break off in such an escape, or after it. */
const brokenOff = /(?:\\(?:u[\da-f]{0,3})?|%[\da-f]?|&[#\w]{0,11})?$/iy;

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The length of an escape of this character; 0 if no escape stands here. */
function escapeLength(of: string | undefined, text: string, at: number): number {
  if (!'\\%&'.includes(text[at] ?? '-')) return 0;
  const [all = '', json, url, hex, decimal, name = ''] = matchAt(escapes, text, at) ?? [];
  const code = decimal ?? Number.parseInt(json ?? url ?? hex ?? '', 16);
  return of === (named[name] ?? String.fromCharCode(Number(code))) ? all.length : 0;
}

/** Where a spelling of the word that begins at `from` ends. Each character may be escaped or not. */
function endOf(word: string, text: string, from: number, isCut: boolean, done = 0): number | undefined {
  let at = from;
  for (let index = done; index < word.length; index += 1) {
    if (isCut && index >= leastBeginning && matchAt(brokenOff, text, at) !== null) return text.length;
    const length = escapeLength(word[index], text, at);
    const isPlain = text[at] === word[index];
    if (length === 0 && !isPlain) return undefined;
    if (length > 0 && isPlain) {
      const end = endOf(word, text, at + length, isCut, index + 1);
      if (end !== undefined) return end;
    }
    at += isPlain ? 1 : length;
  }
  return at;
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

/** A shorter token cannot be told from other text. Removing it would only break the reply. */
export const leastTellingLength = 8;
