import type { Flight } from './flight.ts';

const standIn = '[token]';

/** A shorter token cannot be told from other text. Removing it would only break the reply. */
export const leastTellingLength = 8;

/**
 * A service may echo the token, for example in an error. It is removed here however it is escaped, so that the journal
 * and the terminal never show it. A token is ASCII, so each byte is read as one character.
 */
export function withoutToken(flight: Flight, token: string): Flight {
  if (flight.came === 'nothing' || token.length < leastTellingLength) return flight;
  const { buffer, byteOffset, byteLength } = flight.body;
  const before = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  const after = cleaned(before, token, flight.ended !== 'whole');
  const headers = Object.entries(flight.headers).map(([name, value]) => [name, cleaned(value, token, false)]);
  return { ...flight, headers: Object.fromEntries(headers), body: Buffer.from(after, 'latin1') };
}

const jsonString = /"(?:[^"\\]|\\.)*"/gsu;

/** Replaces as little as possible: the token itself, else a whole JSON string, else the whole text. */
function cleaned(text: string, token: string, isCut: boolean): string {
  if (!isShown(text, token, isCut)) return text;
  const clean = text
    .replace(jsonString, (literal) =>
      isShown(literal, token, false) ? cleanedString(literal, token) : literal,
    )
    .replaceAll(token, standIn);
  return isShown(clean, token, isCut) ? standIn : clean;
}

function cleanedString(literal: string, token: string): string {
  const clean = literal.replaceAll(token, standIn);
  return isJson(clean) && !isShown(clean, token, false) ? clean : `"${standIn}"`;
}

/** If the token begins or ends within an escape, half an escape is left, and the text is no longer JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const escapes =
  /\\(?:u00([\da-f]{2})|(["\\/]))|%([\da-f]{2})|&#x0*([\da-f]{2});|&#0*(\d{2,3});|&(amp|lt|gt|quot|apos);/giu;

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Removes one layer of escapes: of JSON, of a URL and of HTML. */
function unescaped(text: string): string {
  return text.replace(
    escapes,
    (_found, json?: string, short?: string, url?: string, hex?: string, decimal?: string, name = '') =>
      short ??
      named[name.toLowerCase()] ??
      String.fromCharCode(Number(decimal ?? Number.parseInt(json ?? url ?? hex ?? '', 16))),
  );
}

/** Nobody escapes a text this often by chance. A text with more layers counts as showing the token. */
const mostLayers = 8;

/** Whether the token is in the text, or appears when its layers of escapes are removed one by one. */
function isShown(text: string, token: string, isCut: boolean): boolean {
  // A token may itself look as if it had escapes, and these are removed too.
  const words = [token, bare(token)].filter((word) => word.length >= leastTellingLength);
  let stage = text;
  for (let layers = 0; layers <= mostLayers; layers += 1) {
    for (const word of words) if (stage.includes(word) || (isCut && endsWithin(stage, word))) return true;
    const next = unescaped(stage);
    if (next === stage) return false;
    stage = next;
  }
  return true;
}

/** Without any escapes. */
function bare(text: string): string {
  const next = unescaped(text);
  return next === text ? text : bare(next);
}

/** An escape that broke off. */
const half = /(?:\\(?:u[\da-f]{0,3})?|%[\da-f]?|&[#\w]{0,10})$/iu;

/** Whether a text that broke off ends with so much of the token that it reveals enough. */
function endsWithin(text: string, token: string): boolean {
  const end = text.slice(-2 * token.length).replace(half, '');
  for (let length = leastTellingLength; length < token.length; length += 1)
    if (end.endsWith(token.slice(0, length))) return true;
  return false;
}
