/** Trouble that says itself what it is, as part of a sentence. */
export class WireTrouble extends Error {}

const notTls = 'what answers there does not speak TLS';

const sentences = new Map([
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
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate chain is self-signed'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate could not be verified'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', notTls],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', notTls],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
]);

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What went wrong on the wire, as part of a sentence. */
export function troubleOf(error: unknown): string {
  if (error instanceof WireTrouble) return error.message;
  // Connecting to several addresses of one host fails with all their reasons; the first speaks for them.
  if (error instanceof AggregateError && error.errors.length > 0) return troubleOf(error.errors[0]);
  const code = codeOf(error);
  const known = code === undefined ? undefined : sentences.get(code);
  if (known !== undefined) return known;
  if (code?.startsWith('HPE_')) return 'the reply was not HTTP';
  const message = error instanceof Error ? error.message : String(error);
  return `the connection failed (${code === undefined ? message : `${code}: ${message}`})`;
}

export function isUpgrade(error: unknown): boolean {
  return error instanceof Error && error.message === 'bad upgrade';
}
