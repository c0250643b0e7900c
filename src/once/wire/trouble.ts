const troubles = {
  /** In the library's own words. */
  connection: ({ text }: OfLibrary) => text,
  /** This machine rejects the other side's certificate. */
  certificate: ({ text }: OfLibrary) => text,
  /** The proxy's answer to the request for a tunnel. */
  'no-tunnel': ({ status }: { readonly status: number }) => `the proxy made no tunnel (status ${status})`,
  'timed-out': (_: { readonly afterMs: number }) => 'no complete reply came in time',
  'no-answer': () => 'no answer came in time',
  'reply-broke-off': () => 'the reply broke off',
  'reply-too-long': () => 'the reply was longer than botctl reads',

  // botctl itself stopped or failed: this process or an earlier one.
  interrupted: () => 'it was interrupted',
  'given-up': () => 'it was abandoned',
  'other-origin': () => 'the address belongs to another origin',
  'process-died': () => 'its process ended before the reply was recorded',
  'attempt-failed': ({ text }: { readonly text: string }) => `the request itself failed (${text})`,
  // Noticed when the connection was open and nothing was written yet.
  'journal-gone': () => 'the journal was gone by the time the connection was ready',
  'claim-too-old': () => 'this process was silent for too long, and another one may have taken over',
  'too-late': () => 'it was too late by the time the connection was ready',
};

type OfLibrary = { readonly code?: string; readonly text: string };

type Troubles = typeof troubles;

/** What went wrong with an attempt. The journal keeps it as JSON. */
export type Trouble = {
  readonly [Is in keyof Troubles]: { readonly is: Is } & PartsOf<Troubles[Is]>;
}[keyof Troubles] & {
  /** It happened on the way to the proxy, not to the service. */
  readonly atProxy?: true;
};

type PartsOf<Words> = Words extends (fields: infer Fields) => string ? Fields : never;

/** The same as part of a sentence. */
export function troubleWords(trouble: Trouble): string {
  const words = (troubles[trouble.is] as (trouble: Trouble) => string)(trouble);
  return trouble.atProxy ? `the proxy could not be used: ${words}` : words;
}

const checkTls =
  'Check the base URL and the date of this machine; for a private authority, set NODE_EXTRA_CA_CERTS to the file of its certificate';

const checkNetwork = 'Check the network, and whether a proxy is needed (HTTPS_PROXY)';

/** By the codes of Node and undici. */
const advices: readonly (readonly [RegExp, string])[] = [
  [/^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/u, checkTls],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/u, 'Check the host in the base URL, and that this machine can look names up'],
  [/^ECONNREFUSED$/u, 'Check the port in the base URL, and that the service runs'],
  [/TIMEDOUT$|TIMEOUT$/u, checkNetwork],
];

/** What to do about a trouble, as the start of a sentence; undefined if nothing special helps. */
export function adviceOn(trouble: Trouble | undefined): string | undefined {
  if (trouble?.atProxy || trouble?.is === 'no-tunnel')
    return 'Check HTTPS_PROXY, with its user and password if it wants them, and NO_PROXY';
  if (trouble?.is === 'certificate') return checkTls;
  if (trouble?.is === 'timed-out') return checkNetwork;
  if (trouble?.is !== 'connection') return undefined;
  const { code = '' } = trouble;
  return advices.find(([codes]) => codes.test(code))?.[1];
}

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
