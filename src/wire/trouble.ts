import { type OtherProtocol, otherProtocol } from './notHttp.ts';
import { type TlsTrouble, tlsTrouble } from './tlsTrouble.ts';

/**
 * What went wrong with an attempt. The journal keeps it as JSON, and `words/trouble.ts` has its sentences: what was
 * written once must stay readable.
 */
export type Trouble = (OfConnection | TlsTrouble | NoTunnel | OfReply | OfBotctl | Foreign) & {
  /** On the way to the proxy, not to the service. */
  readonly atProxy?: true;
};

type OfConnection = {
  readonly is:
    | 'host-not-found'
    | 'lookup-failed'
    | 'refused'
    | 'reset'
    | 'closed'
    | 'closed-by-other-side'
    | 'network-unreachable'
    | 'host-unreachable'
    | 'connection-timed-out'
    | 'connecting-too-slow';
};

/** The proxy's answer to the request for a tunnel. */
type NoTunnel = { readonly is: 'no-tunnel'; readonly status: number; readonly withUser: boolean };

type OfReply =
  | { readonly is: 'not-http'; readonly speaks: OtherProtocol | 'unknown' }
  | { readonly is: 'timed-out'; readonly afterMs: number }
  | { readonly is: 'no-answer' | 'reply-broke-off' | 'reply-too-long' | 'someone-elses-reply' };

/** botctl itself stopped or failed: in this process, or in one that ended before. */
type OfBotctl =
  | { readonly is: 'interrupted' | 'given-up' | 'other-origin' | 'process-died' | 'given-back' }
  /** Found when the connection stood, and nothing was written. */
  | { readonly is: 'journal-gone' | 'claim-too-old' | 'too-late' }
  | { readonly is: 'attempt-failed'; readonly text: string };

/** An error of Node or undici that has no name here. */
type Foreign = { readonly is: 'other'; readonly code?: string; readonly text: string };

/** Thrown by what knows what went wrong. */
export class TroubleError extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.is);
    this.trouble = trouble;
  }
}

/** By Node's and undici's codes. */
const byCode: ReadonlyMap<string | undefined, OfConnection['is']> = new Map([
  ['ENOTFOUND', 'host-not-found'],
  ['EAI_AGAIN', 'lookup-failed'],
  ['ECONNREFUSED', 'refused'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'closed'],
  ['UND_ERR_SOCKET', 'closed-by-other-side'],
  ['ENETUNREACH', 'network-unreachable'],
  ['EHOSTUNREACH', 'host-unreachable'],
  ['ETIMEDOUT', 'connection-timed-out'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connecting-too-slow'],
]);

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What went wrong on the wire. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof TroubleError) return error.trouble;
  // Connecting to several addresses of one host fails with all their reasons; the first speaks for them.
  if (error instanceof AggregateError && error.errors.length > 0) return troubleOf(error.errors[0]);
  const code = codeOf(error);
  const known = byCode.get(code);
  if (known !== undefined) return { is: known };
  if (isParserError(error)) return { is: 'not-http', speaks: otherProtocol(error) ?? 'unknown' };
  const text = error instanceof Error ? error.message : String(error);
  return tlsTrouble(code, text) ?? { is: 'other', ...(code !== undefined && { code }), text };
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
