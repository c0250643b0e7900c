import type { Flight } from './flight.ts';

const stand = '[token]';

// What JSON may write with a backslash and one character more.
const shortEscapes: Readonly<Record<string, string>> = { '"': '\\\\"', '\\': '\\\\\\\\', '/': '\\\\/' };

/** One character of a token in every way that JSON can write it: as itself, or escaped. */
function spellings(character: string): string {
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
  const eitherCase = [...hex].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('');
  const short = shortEscapes[character];
  return `(?:\\\\u00${eitherCase}${short === undefined ? '' : `|${short}`}|\\x${hex})`;
}

function inBytes(bytes: Buffer, token: string): Buffer {
  // As latin1 each byte is one character and stays what it is.
  const text = bytes.toString('latin1');
  // Where nothing is escaped the token can only be itself; to look for all its spellings takes a millisecond.
  const spelled = text.includes('\\') ? new RegExp([...token].map(spellings).join(''), 'gu') : token;
  const without = text.replaceAll(spelled, stand);
  return without === text ? bytes : Buffer.from(without, 'latin1');
}

// A shorter one cannot be told from any other text: taking it out would only break the reply.
const leastTellingLength = 8;

/** A service that echoes the token, in an error say, would have it journaled and shown: it is taken out here. */
export function withoutToken(flight: Flight, token: string): Flight {
  if (flight.came === 'nothing' || token.length < leastTellingLength) return flight;
  const headers = Object.entries(flight.headers).map(
    ([name, value]) => [name, value.replaceAll(token, stand)] as const,
  );
  const body = Buffer.from(flight.body.buffer, flight.body.byteOffset, flight.body.byteLength);
  return { ...flight, headers: Object.fromEntries(headers), body: inBytes(body, token) };
}
