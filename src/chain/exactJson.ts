/** JSON in which every number still has all the digits that were written. */
export type Exact = string | boolean | null | bigint | Inexact | readonly Exact[] | ExactObject;
export type ExactObject = { readonly [name: string]: Exact };

/** A number with a point or an exponent: nothing that counts money is one. */
class Inexact {
  readonly written: string;

  constructor(written: string) {
    this.written = written;
  }
}

// In JSON that has been found valid, what begins so outside of strings is a number.
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gu;

// The first character of every text, for the time between: a text stays a text, whatever it looks like.
const [aText, aNumber] = ['t', 'n'];

/** Throws where the text is not JSON. Integers come back whole: u64 beyond 2^53 would lose digits in a float. */
export function parseExact(text: string): Exact {
  JSON.parse(text);
  const marked = text.replace(stringOrNumber, (token) =>
    token.startsWith('"') ? `"${aText}${token.slice(1)}` : `"${aNumber}${token}"`,
  );
  return unmarked(JSON.parse(marked) as Marked);
}

type Marked = string | boolean | null | readonly Marked[] | { readonly [name: string]: Marked };

function unmarked(value: Marked): Exact {
  if (typeof value === 'string') return value.startsWith(aText) ? value.slice(1) : numberOf(value.slice(1));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Marked[]).map(unmarked);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name.slice(1), unmarked(field)]));
}

function numberOf(written: string): bigint | Inexact {
  return /^-?\d+$/u.test(written) ? BigInt(written) : new Inexact(written);
}
