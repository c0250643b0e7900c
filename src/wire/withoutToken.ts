import type { Flight } from './flight.ts';
import { leastTellingLength } from './tellingLength.ts';
import { spellingsOf } from './tokenSpellings.ts';

const standIn = '[token]';

/** A cut-off token this long gives away enough to be taken out. */
const leastBeginning = 8;

type Finder = { readonly token: string; readonly spellings: readonly string[]; readonly all: RegExp };

let last: Finder | undefined;

/** The rows of a batch have one token between them. */
function finderOf(token: string): Finder {
  if (last?.token === token) return last;
  // The longest first: one spelling may begin with another.
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
 * If a service echoes the token, in an error for example, the journal and the terminal would show it. It is taken
 * out here, spelled as `spellingsOf` says. Spellings are ASCII, so bytes are read as one character each.
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
  // Few replies of a batch contain it: the others are not copied.
  if (isClean) return flight;
  return { ...flight, headers: Object.fromEntries(headers), body: Buffer.from(after, 'latin1') };
}
