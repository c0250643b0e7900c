import type { Flight, Reply } from './flight.ts';
import { leastTellingLength } from './tellingLength.ts';
import { TokenFinder } from './tokenPattern.ts';

const stand = Buffer.from('[token]');

function inBytes(bytes: Buffer, finder: TokenFinder, isCutOff = false): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (const [beginning, end] of finder.rangesIn(bytes, isCutOff)) {
    kept.push(bytes.subarray(from, beginning), stand);
    from = end;
  }
  return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
}

/** The same ones, where none holds it. */
function inHeaders(headers: Reply['headers'], finder: TokenFinder): Reply['headers'] {
  let changed: Record<string, string> | undefined;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!finder.mayBeIn(value)) continue;
    const without = inBytes(Buffer.from(value), finder).toString();
    changed ??= { ...headers };
    changed[name] = without;
  }
  return changed ?? headers;
}

let last: { readonly token: string; readonly finder: TokenFinder } | undefined;

/** The rows of a batch have one token between them. */
function finderOf(token: string): TokenFinder {
  if (last?.token !== token) last = { token, finder: new TokenFinder(token) };
  return last.finder;
}

/**
 * A service that echoes the token, in an error say, would have it journaled and shown: it is taken out here, also
 * where it is escaped for a URL, HTML or JSON, or stands in base64 or hexadecimal.
 */
export function withoutToken(flight: Flight, token: string): Flight {
  if (flight.came === 'nothing' || token.length < leastTellingLength) return flight;
  const finder = finderOf(token);
  const before = Buffer.from(flight.body.buffer, flight.body.byteOffset, flight.body.byteLength);
  const body = inBytes(before, finder, flight.ended !== 'whole');
  const headers = inHeaders(flight.headers, finder);
  // Of a batch hardly any reply has it: those are not copied.
  return body === before && headers === flight.headers ? flight : { ...flight, headers, body };
}
