import { Told } from './told.ts';

/** What went wrong on the way, by Node's and undici's codes: each is part of a sentence. */
export const wireTroubles: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'the host name was not found'],
  ['EAI_AGAIN', 'the host name could not be looked up'],
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection was closed'],
  ['ENETUNREACH', 'the network is not reachable'],
  ['EHOSTUNREACH', 'the host is not reachable'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connecting took too long'],
  ['UND_ERR_SOCKET', 'the connection was closed by the other side'],
]);

export function connectionFailed(code: string | undefined, message: string): string {
  return `the connection failed (${code === undefined ? message : `${code}: ${message}`})`;
}

export const timedOut = 'no complete reply came in time';
export const noAnswerInTime = 'no answer came in time';
export const cutOff = 'it was interrupted';
export const givenUp = 'it was given up';
export const otherOrigin = 'the address is of another origin';

/** What answered in place of a service that speaks HTTP/1.1. */
export const notHttpTroubles = {
  http2: 'the server speaks only HTTP/2, and botctl speaks HTTP/1.1',
  tls: 'the server speaks TLS: the base URL must begin with https://',
  ssh: 'an SSH server answers there, not HTTP',
  mail: 'a mail server answers there, not HTTP',
  ftp: 'an FTP or mail server answers there, not HTTP',
  redis: 'a Redis or mail server answers there, not HTTP',
  other: 'the reply was not HTTP',
} as const;

export const insecureTlsHint =
  'Unset it. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.';

export function insecureTls(): Told {
  return new Told(
    'insecure-tls',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: anyone on the way could read the token',
    { hint: insecureTlsHint },
  );
}
