/** What went wrong with an attempt. The journal keeps it as JSON, and `cli/say/trouble.ts` has its sentences. */
export type Trouble = (OfConnection | NoTunnel | OfReply | OfBotctl) & {
  /** It happened on the way to the proxy, not to the service. */
  readonly atProxy?: true;
};

/** In the library's own words. `certificate`: this machine rejects the other side's certificate. */
type OfConnection = {
  readonly is: 'connection' | 'certificate';
  readonly code?: string;
  readonly text: string;
};

/** The proxy's answer to the request for a tunnel. */
type NoTunnel = { readonly is: 'no-tunnel'; readonly status: number };

type OfReply =
  | { readonly is: 'timed-out'; readonly afterMs: number }
  | { readonly is: 'no-answer' | 'reply-broke-off' | 'reply-too-long' };

/** botctl itself stopped or failed: this process or an earlier one. */
type OfBotctl =
  | { readonly is: 'interrupted' | 'given-up' | 'other-origin' | 'process-died' }
  /** Noticed when the connection was open and nothing was written yet. */
  | { readonly is: 'journal-gone' | 'claim-too-old' | 'too-late' }
  | { readonly is: 'attempt-failed'; readonly text: string };

/** Thrown by code that knows what went wrong. */
export class TroubleError extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.is);
    this.trouble = trouble;
  }
}

const ofCertificates =
  /^(?:CERT_|CRL_|DEPTH_ZERO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH|SELF_SIGNED_|UNABLE_TO_)/u;

/** What went wrong with the connection or the request. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof TroubleError) return error.trouble;
  // A connection attempt to several addresses of a host fails with one error for each. The first one is reported.
  if (error instanceof AggregateError && error.errors.length > 0) return troubleOf(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const text = error instanceof Error ? error.message : String(error);
  return {
    is: ofCertificates.test(String(code)) ? 'certificate' : 'connection',
    ...(typeof code === 'string' && { code }),
    text: text.replace(/\s+/gu, ' ').trim().slice(0, 300),
  };
}

export function isUpgrade(error: unknown): boolean {
  return error instanceof Error && error.message === 'bad upgrade';
}
