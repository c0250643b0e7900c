import { proxyAdvice } from '../words/proxy.ts';
import { tlsAdvice } from '../words/tls.ts';
import { connectionFailed, wireTroubles } from '../words/wire.ts';
import { notHttp } from './notHttp.ts';
import { tlsTrouble } from './tlsTrouble.ts';

/** Trouble that says itself what it is, as part of a sentence. */
export class WireTrouble extends Error {}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What went wrong on the wire, as part of a sentence. */
export function troubleOf(error: unknown): string {
  if (error instanceof WireTrouble) return error.message;
  // Connecting to several addresses of one host fails with all their reasons; the first speaks for them.
  if (error instanceof AggregateError && error.errors.length > 0) return troubleOf(error.errors[0]);
  const code = codeOf(error);
  const known = code === undefined ? undefined : wireTroubles.get(code);
  if (known !== undefined) return known;
  if (isParserError(error)) return notHttp(error);
  const message = error instanceof Error ? error.message : String(error);
  return tlsTrouble(code, message) ?? connectionFailed(code, message);
}

/** Of undici's parser or of Node's own: undici's gives no code. */
function isParserError(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'HTTPParserError' || !!codeOf(error)?.startsWith('HPE_'));
}

/** What answered does not even begin like HTTP/1.1. */
export function isNotHttp(error: unknown): boolean {
  return codeOf(error) === 'HPE_INVALID_CONSTANT' || codeOf(error) === 'HPE_INVALID_VERSION';
}

export function isUpgrade(error: unknown): boolean {
  return error instanceof Error && error.message === 'bad upgrade';
}

const advice = Object.entries({ ...tlsAdvice, ...proxyAdvice });

/** What to do about a trouble, as the beginning of a sentence; undefined where nothing special helps. */
export function adviceOn(trouble: string | undefined): string | undefined {
  return advice.find(([about]) => trouble?.includes(about))?.[1];
}
