import { beginsSpelling, SpelledBytes } from './spelledBytes.ts';

const backslash = 0x5c;

/** One way in which a token may stand in a text, a character at a time. */
type Pattern = {
  readonly codes: Uint8Array;
  /** What counts as the same: the two cases of hexadecimal digits, the two alphabets of base64. */
  readonly fold: Uint8Array;
  /** Base64 is broken into lines. */
  readonly inLines: boolean;
};

const asIs = Uint8Array.from({ length: 256 }, (_none, code) => code);

function folded(from: string, to: string): Uint8Array {
  const fold = asIs.slice();
  for (const [index, character] of [...from].entries()) fold[character.charCodeAt(0)] = to.charCodeAt(index);
  return fold;
}

const anyCase = folded('ABCDEF', 'abcdef');
const anyAlphabet = folded('-_', '+/');

function patternsOf(token: string): Pattern[] {
  const bytes = Buffer.from(token, 'latin1');
  const pattern = (text: string, fold: Uint8Array, inLines: boolean): Pattern => ({
    codes: Buffer.from(text, 'latin1'),
    fold,
    inLines,
  });
  return [
    pattern(token, asIs, false),
    pattern(bytes.toString('hex'), anyCase, false),
    ...[0, 1, 2].map((before) => pattern(base64Of(bytes, before), anyAlphabet, true)),
  ];
}

/** The characters of base64 that hold nothing but the token, where so many other bytes come before it. */
function base64Of(token: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), token]).toString('base64');
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + token.length) * 8) / 6));
}

const isBlank = (code: number | undefined): boolean =>
  code === 0x0a || code === 0x0d || code === 0x20 || code === 0x09;

/** Enough of a token at the end of what was cut off to be worth taking out. */
const leastBeginning = 8;

// A bit of its own, beside one for each pattern: what may spell any character.
const spelling = 0x80;

function add(bits: number, table: Uint8Array, code: number): void {
  table[code] = (table[code] ?? 0) | bits;
}

/** Finds a token in bytes, in whatever way text is usually escaped, encoded, or both. */
export class TokenFinder {
  readonly #patterns: readonly Pattern[];
  /** By byte: the patterns that may begin with it, a bit for each, so that most bytes are passed by at once. */
  readonly #begins = new Uint8Array(256);
  /** By byte: those that may have it second. */
  readonly #goesOn = new Uint8Array(256).fill(spelling);

  constructor(token: string) {
    this.#patterns = patternsOf(token);
    for (const [index, { codes, fold, inLines }] of this.#patterns.entries()) {
      const bit = 1 << index;
      for (let code = 0; code < 256; code += 1) {
        const same = fold[code];
        if (same === codes[0]) add(bit, this.#begins, code);
        if (same === codes[1] || (inLines && isBlank(code))) add(bit, this.#goesOn, code);
      }
    }
    for (let code = 0; code < 256; code += 1) {
      if (!beginsSpelling(code)) continue;
      add(spelling, this.#begins, code);
      // Whatever is spelled may go on with it.
      this.#goesOn[code] = 0xff;
    }
  }

  /** Every occurrence, first to last, as its beginning and its end. `isCutOff`: a token may break off at the end. */
  *rangesIn(bytes: Uint8Array, isCutOff: boolean): Generator<readonly [number, number]> {
    let at = this.#nextBeginning(bytes, 0);
    // Most texts hold nothing that could begin a token: they cost a look at each byte.
    if (at === bytes.length) return;
    const text = new SpelledBytes(bytes);
    const searches = this.#patterns.map((pattern) => new Search(text, pattern, isCutOff));
    for (;;) {
      const end = firstEnd(searches, this.#patternsAt(text, at), at);
      if (end !== undefined) yield [at, end];
      at = this.#nextBeginning(bytes, end ?? at + 1);
      if (at === bytes.length) return;
    }
  }

  /** False of most texts, for which nothing need be made then. What is not ASCII is looked at as bytes. */
  mayBeIn(text: string): boolean {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > 127) return true;
      const bits = this.#begins[code] ?? 0;
      if (bits === 0) continue;
      const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
      if (next > 127 || (bits & (this.#goesOn[next] ?? 0)) !== 0) return true;
    }
    return false;
  }

  #nextBeginning(bytes: Uint8Array, from: number): number {
    const begins = this.#begins;
    const goesOn = this.#goesOn;
    for (let at = from; at < bytes.length; at += 1) {
      const bits = begins[bytes[at] ?? 0] ?? 0;
      if (bits !== 0 && (bits & (goesOn[bytes[at + 1] ?? 0] ?? 0)) !== 0) return at;
    }
    return bytes.length;
  }

  #patternsAt(text: SpelledBytes, at: number): number {
    const byte = text.bytes[at] ?? 0;
    const begins = this.#begins[byte] ?? 0;
    if (!beginsSpelling(byte)) return begins & (this.#goesOn[text.bytes[at + 1] ?? 0] ?? 0) & ~spelling;
    const all = text.spellings(at).reduce((bits, { code }) => bits | (this.#begins[code] ?? 0), begins);
    return all & ~spelling;
  }
}

function firstEnd(searches: readonly Search[], begins: number, at: number): number | undefined {
  for (let index = 0; begins >> index > 0; index += 1) {
    const end = ((begins >> index) & 1) === 0 ? undefined : searches[index]?.endOf(at);
    if (end !== undefined) return end;
  }
  return undefined;
}

const mostDead = 100_000;

/** The search for one pattern in some bytes. */
class Search {
  readonly #text: SpelledBytes;
  readonly #pattern: Pattern;
  readonly #isCutOff: boolean;
  /** Ways that were gone in vain: none is gone twice, so that no bytes whatever make it slow. */
  readonly #dead = new Set<number>();

  constructor(text: SpelledBytes, pattern: Pattern, isCutOff: boolean) {
    this.#text = text;
    this.#pattern = pattern;
    this.#isCutOff = isCutOff;
  }

  /** Where the pattern ends that begins at `at`; undefined where it does not. */
  endOf(at: number): number | undefined {
    if (this.#dead.size > mostDead) this.#dead.clear();
    return this.#goOn(0, at);
  }

  #goOn(index: number, at: number): number | undefined {
    const { bytes } = this.#text;
    const { codes, fold, inLines } = this.#pattern;
    let position = at;
    for (let next = index; next < codes.length; ) {
      const byte = bytes[position];
      if (byte === undefined) return this.#isCutOff && next >= leastBeginning ? position : undefined;
      if (beginsSpelling(byte)) return this.#branch(next, position);
      if (fold[byte] === codes[next]) next += 1;
      else if (!inLines || next === 0 || !isBlank(byte)) return undefined;
      position += 1;
    }
    return position;
  }

  #branch(index: number, at: number): number | undefined {
    const wanted = this.#pattern.codes[index] ?? 0;
    const name = index * 2 ** 32 + at;
    if (this.#dead.has(name)) return undefined;
    const found =
      wanted === backslash ? this.#afterBackslash(index, at) : this.#afterSpelled(index, at, wanted);
    // Nothing comes back to the first character.
    if (found === undefined && index > 0) this.#dead.add(name);
    return found;
  }

  #afterBackslash(index: number, at: number): number | undefined {
    const { codes } = this.#pattern;
    let next = index;
    while (codes[next] === backslash) next += 1;
    for (const end of this.#text.backslashEnds(at, next - index)) {
      const found = this.#goOn(next, end);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #afterSpelled(index: number, at: number, wanted: number): number | undefined {
    const { fold, inLines } = this.#pattern;
    for (const { code, end } of this.#text.spellings(at).toReversed()) {
      const isNext = code < 256 && fold[code] === wanted;
      if (!isNext && !(inLines && index > 0 && isBlank(code))) continue;
      const found = this.#goOn(isNext ? index + 1 : index, end);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
