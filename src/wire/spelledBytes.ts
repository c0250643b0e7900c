/** A character that may be spelled with several bytes, and where its spelling ends. */
type Spelled = { readonly code: number; readonly end: number };

const percent = 0x25;
const ampersand = 0x26;
const hash = 0x23;
const semicolon = 0x3b;
const backslash = 0x5c;

// Escaped text may be escaped again, in the same way or another: %2541, &amp;#65;, \\u0041. Deeper than this
// nobody goes by accident.
const deepest = 3;

/** JSON in JSON in JSON doubles each backslash twice. */
const mostBackslashes = 8;

const mostDigits = 8;

// Reading goes forward: what was found far behind is not asked for again.
const mostKept = 4096;

type Name = { readonly letters: Buffer; readonly code: number };

const name = (text: string, code: number): Name => ({ letters: Buffer.from(text), code });

const names: readonly Name[] = [
  name('amp', ampersand),
  name('lt', 0x3c),
  name('gt', 0x3e),
  name('quot', 0x22),
  name('apos', 0x27),
];

// What a backslash before one of these letters stands for; before no letter it stands for what comes.
const shortEscapes: Readonly<Record<number, number>> = { 110: 10, 114: 13, 116: 9 };

export function beginsSpelling(code: number): boolean {
  return code === percent || code === ampersand || code === backslash;
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : 16;
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a);
}

/** Into places that are kept last to first. */
function insert(places: number[], place: number): void {
  let index = places.length;
  while (index > 0 && (places[index - 1] ?? 0) < place) index -= 1;
  places.splice(index, 0, place);
}

/**
 * Bytes read as text that may be escaped for a URL, HTML or JSON, or for several of them. Each way of reading on
 * is bounded, so that no bytes whatever make it slow.
 */
export class SpelledBytes {
  readonly bytes: Uint8Array;
  #side = { from: 0, last: 0 };
  readonly #backslashes = new Map<number, readonly number[]>();

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** What may be read at `at`: the byte itself, what it begins to spell, and what that begins to spell. */
  spellings(at: number): readonly Spelled[] {
    const found: Spelled[] = [];
    let last = this.#itself(at);
    for (let depth = deepest; last !== undefined; depth -= 1) {
      found.push(last);
      last = depth === 0 ? undefined : this.#spelledBy(last, depth - 1);
    }
    return found;
  }

  /**
   * Where so many backslashes may end, of which each may have become several by being escaped. One may be spelled by
   * those after it or stand beside them: of readings that end in the same place, the one with the most counts.
   */
  backslashEnds(at: number, least: number): readonly number[] {
    const most = new Map([[at, 0]]);
    const open = [at];
    const ends: number[] = [];
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      const count = most.get(from) ?? 0;
      const left = least * mostBackslashes - count;
      // Only the last of several can be the beginning of another one's spelling.
      const before = Math.min(left, this.#lastBackslash(from) - from);
      if (before === 0 && count >= least) ends.push(from);
      if (left === 0) continue;
      for (const end of before > 0 ? [from + before] : this.#afterOneBackslash(from)) {
        if (!most.has(end)) insert(open, end);
        most.set(end, Math.max(most.get(end) ?? 0, count + Math.max(before, 1)));
      }
    }
    return ends.toReversed();
  }

  /** The last of the backslashes that stand side by side from `at`; `at` itself where there is none. */
  #lastBackslash(at: number): number {
    if (at >= this.#side.from && at < this.#side.last) return this.#side.last;
    let last = at;
    while (this.bytes[last] === backslash && this.bytes[last + 1] === backslash) last += 1;
    this.#side = { from: at, last };
    return last;
  }

  /** Where one backslash may end that begins at `at`. */
  #afterOneBackslash(at: number): readonly number[] {
    const known = this.#backslashes.get(at);
    if (known !== undefined) return known;
    const ends = this.spellings(at).flatMap(({ code, end }) => (code === backslash ? [end] : []));
    if (this.#backslashes.size >= mostKept) this.#backslashes.clear();
    this.#backslashes.set(at, ends);
    return ends;
  }

  #itself(at: number): Spelled | undefined {
    const code = this.bytes[at];
    return code === undefined ? undefined : { code, end: at + 1 };
  }

  #spelledBy({ code, end }: Spelled, depth: number): Spelled | undefined {
    if (code === percent) return this.#number(end, 16, 2, 2);
    if (code === ampersand) return this.#entity(end, depth);
    return code === backslash ? this.#escaped(end, depth) : undefined;
  }

  /** Where this one character ends at `at`, as itself or spelled. */
  #exactly(at: number, wanted: number, depth: number): number | undefined {
    let last = this.#itself(at);
    for (let left = depth; last !== undefined && last.code !== wanted; left -= 1) {
      last = left <= 0 ? undefined : this.#spelledBy(last, left - 1);
    }
    return last?.end;
  }

  /** Digits as they stand: nobody escapes a digit. */
  #number(at: number, base: number, least: number, most: number): Spelled | undefined {
    let code = 0;
    let end = at;
    while (end < at + most) {
      const value = hexValue(this.bytes[end] ?? 0);
      if (value >= base) break;
      code = code * base + value;
      end += 1;
    }
    return end < at + least ? undefined : { code, end };
  }

  /** What follows an ampersand: a name, or a number in decimal or hexadecimal. */
  #entity(at: number, depth: number): Spelled | undefined {
    const mark = this.#exactly(at, hash, depth);
    const found = mark === undefined ? this.#named(at) : this.#numbered(mark);
    if (found === undefined) return undefined;
    // Browsers do without it.
    return { code: found.code, end: this.#exactly(found.end, semicolon, depth) ?? found.end };
  }

  #named(at: number): Spelled | undefined {
    for (const { letters, code } of names) {
      let same = 0;
      while (same < letters.length && letters[same] === this.bytes[at + same]) same += 1;
      if (same === letters.length) return { code, end: at + same };
    }
    return undefined;
  }

  #numbered(at: number): Spelled | undefined {
    const isHex = ((this.bytes[at] ?? 0) | 0x20) === 0x78;
    return isHex ? this.#number(at + 1, 16, 1, mostDigits) : this.#number(at, 10, 1, mostDigits);
  }

  /** What follows a backslash, and those after it: in text that was escaped twice there are several. */
  #escaped(at: number, depth: number): Spelled | undefined {
    let mark = at;
    for (let count = 1; count < mostBackslashes; count += 1) {
      const next = this.#exactly(mark, backslash, depth);
      if (next === undefined) break;
      mark = next;
    }
    const code = this.bytes[mark];
    if (code === undefined || code === backslash) return undefined;
    if (code === 0x75) return this.#number(mark + 1, 16, 4, 4) ?? this.#braced(mark + 1);
    if (code === 0x78) return this.#number(mark + 1, 16, 2, 2);
    const short = shortEscapes[code];
    if (short !== undefined) return { code: short, end: mark + 1 };
    return isLetterOrDigit(code) ? undefined : { code, end: mark + 1 };
  }

  #braced(at: number): Spelled | undefined {
    const number = this.bytes[at] === 0x7b ? this.#number(at + 1, 16, 1, mostDigits) : undefined;
    return number && this.bytes[number.end] === 0x7d ? { code: number.code, end: number.end + 1 } : undefined;
  }
}
