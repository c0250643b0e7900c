/**
 * What went wrong with an attempt. The journal keeps it as JSON, and `cli/say/trouble.ts` has its sentences. Values
 * that were once written must stay readable.
 */
export type Trouble = (OfConnection | TlsTrouble | NoTunnel | OfReply | OfBotctl | Foreign) & {
  /** It happened on the way to the proxy, not to the service. */
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

/** botctl itself stopped or failed: this process or an earlier one. */
type OfBotctl =
  | { readonly is: 'interrupted' | 'given-up' | 'other-origin' | 'process-died' | 'given-back' }
  /** Noticed when the connection was open and nothing was written yet. */
  | { readonly is: 'journal-gone' | 'claim-too-old' | 'too-late' }
  | { readonly is: 'attempt-failed'; readonly text: string };

/** An error of Node or undici that has no name here. */
type Foreign = { readonly is: 'other'; readonly code?: string; readonly text: string };

/** Thrown by code that knows what went wrong. */
export class TroubleError extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.is);
    this.trouble = trouble;
  }
}

/** By the codes of Node and undici. */
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

/** What went wrong with the connection or the request. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof TroubleError) return error.trouble;
  // A connection attempt to several addresses of a host fails with one error for each. The first one is reported.
  if (error instanceof AggregateError && error.errors.length > 0) return troubleOf(error.errors[0]);
  const code = codeOf(error);
  const known = byCode.get(code);
  if (known !== undefined) return { is: known };
  if (isParserError(error)) return { is: 'not-http', speaks: otherProtocol(error) ?? 'unknown' };
  const text = error instanceof Error ? error.message : String(error);
  return tlsTrouble(code, text) ?? { is: 'other', ...(code !== undefined && { code }), text };
}

/** From undici's parser or Node's own. undici's has no code. */
function isParserError(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'HTTPParserError' || !!codeOf(error)?.startsWith('HPE_'));
}

/** Whether the reply does not even begin like HTTP/1.1. */
export function isNotHttp(error: unknown): boolean {
  return codeOf(error) === 'HPE_INVALID_CONSTANT' || codeOf(error) === 'HPE_INVALID_VERSION';
}

export function isUpgrade(error: unknown): boolean {
  return error instanceof Error && error.message === 'bad upgrade';
}

type CertificateProblem =
  | 'unknown-authority'
  | 'self-signed'
  | 'expired'
  | 'not-yet-valid'
  | 'revoked'
  | 'not-for-this-use'
  | 'not-for-servers'
  | 'issuer-is-no-authority'
  | 'chain-too-long'
  | 'wrong-signature'
  | 'other-host'
  | 'too-weak'
  | 'not-accepted';

type TlsProblem =
  | 'not-spoken'
  | 'other-version'
  | 'nothing-in-common'
  | 'wants-certificate'
  | 'certificate-of-unknown-authority'
  | 'certificate-of-other-kind'
  | 'certificate-revoked'
  | 'certificate-expired'
  | 'certificate-refused'
  | 'connection-refused'
  | 'unknown-host'
  | 'only-http2'
  | 'server-failed'
  | 'closed'
  | 'damaged'
  | 'failed';

/** `certificate`: this machine rejects the other side's certificate. A code is Node's, a reason OpenSSL's. */
type TlsTrouble =
  | { readonly is: 'certificate'; readonly problem: CertificateProblem; readonly code?: string }
  | { readonly is: 'tls'; readonly problem: TlsProblem; readonly reason?: string };

/** Node's codes for certificates that it rejects. */
const certificates: Readonly<Record<string, CertificateProblem>> = {
  UNABLE_TO_GET_ISSUER_CERT: 'unknown-authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown-authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown-authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown-authority',
  CERT_UNTRUSTED: 'unknown-authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not-yet-valid',
  CERT_REVOKED: 'revoked',
  CERT_REJECTED: 'not-for-this-use',
  INVALID_CA: 'issuer-is-no-authority',
  INVALID_PURPOSE: 'not-for-servers',
  PATH_LENGTH_EXCEEDED: 'chain-too-long',
  CERT_CHAIN_TOO_LONG: 'chain-too-long',
  CERT_SIGNATURE_FAILURE: 'wrong-signature',
  HOSTNAME_MISMATCH: 'other-host',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other-host',
  ERR_TLS_DH_PARAM_SIZE: 'too-weak',
};

/** The same by OpenSSL's reasons, without the parts that name the side and the version of TLS. */
const certificateReasons: Readonly<Record<string, CertificateProblem>> = {
  CERTIFICATE_VERIFY_FAILED: 'unknown-authority',
  DH_KEY_TOO_SMALL: 'too-weak',
  EE_KEY_TOO_SMALL: 'too-weak',
  CA_KEY_TOO_SMALL: 'too-weak',
  CA_MD_TOO_WEAK: 'too-weak',
};

const tlsReasons: Readonly<Record<string, TlsProblem>> = {
  WRONG_VERSION_NUMBER: 'not-spoken',
  PACKET_LENGTH_TOO_LONG: 'not-spoken',
  DATA_LENGTH_TOO_LONG: 'not-spoken',
  HTTP_REQUEST: 'not-spoken',
  UNKNOWN_PROTOCOL: 'not-spoken',
  UNSUPPORTED_PROTOCOL: 'other-version',
  PROTOCOL_VERSION: 'other-version',
  INAPPROPRIATE_FALLBACK: 'other-version',
  UNSAFE_LEGACY_RENEGOTIATION_DISABLED: 'other-version',
  HANDSHAKE_FAILURE: 'nothing-in-common',
  INSUFFICIENT_SECURITY: 'nothing-in-common',
  NO_PROTOCOLS_AVAILABLE: 'nothing-in-common',
  NO_CIPHERS_AVAILABLE: 'nothing-in-common',
  CERTIFICATE_REQUIRED: 'wants-certificate',
  NO_CERTIFICATE: 'wants-certificate',
  BAD_CERTIFICATE: 'wants-certificate',
  UNKNOWN_CA: 'certificate-of-unknown-authority',
  UNSUPPORTED_CERTIFICATE: 'certificate-of-other-kind',
  CERTIFICATE_REVOKED: 'certificate-revoked',
  CERTIFICATE_EXPIRED: 'certificate-expired',
  CERTIFICATE_UNKNOWN: 'certificate-refused',
  ACCESS_DENIED: 'connection-refused',
  UNRECOGNIZED_NAME: 'unknown-host',
  NO_APPLICATION_PROTOCOL: 'only-http2',
  INTERNAL_ERROR: 'server-failed',
  UNEXPECTED_EOF_WHILE_READING: 'closed',
  BAD_RECORD_MAC: 'damaged',
  DECRYPTION_FAILED_OR_BAD_RECORD_MAC: 'damaged',
  DECRYPT_ERROR: 'damaged',
};

/** What is wrong with TLS; undefined if it is not TLS. OpenSSL's text is never passed on. */
function tlsTrouble(code: string | undefined, message: string): TlsTrouble | undefined {
  const reason = reasonOf(code, message);
  const certificate = certificateProblem(code, message) ?? certificateReasons[reason ?? ''];
  if (certificate !== undefined) return { is: 'certificate', problem: certificate };
  if (reason !== undefined) return ofReason(reason);
  if (code !== undefined && isCertificateCode(code))
    return { is: 'certificate', problem: 'not-accepted', code };
  const isOfOpenSsl = /openssl|:SSL routines:|\berror:[\dA-F]{8}:/iu.test(message);
  return isOfOpenSsl ? { is: 'tls', problem: 'failed' } : undefined;
}

function certificateProblem(code: string | undefined, message: string): CertificateProblem | undefined {
  if (code === 'UNSPECIFIED') return /too weak/u.test(message) ? 'too-weak' : 'not-accepted';
  return code !== undefined && Object.hasOwn(certificates, code) ? certificates[code] : undefined;
}

function ofReason(reason: string): TlsTrouble {
  const problem = tlsReasons[reason];
  return problem === undefined ? { is: 'tls', problem: 'failed', reason } : { is: 'tls', problem };
}

function isCertificateCode(code: string): boolean {
  return /^(ERR_TLS_|UNABLE_TO_|CERT_|CRL_|ERROR_IN_CR?)/u.test(code);
}

/** The reason in a code like ERR_SSL_TLSV1_ALERT_UNKNOWN_CA, or in OpenSSL's line if there is no code. */
function reasonOf(code: string | undefined, message: string): string | undefined {
  const said = /:SSL routines:[^:]*:([\w /.-]{1,80})/u.exec(message)?.[1];
  const written = /^ERR_(?:SSL|OSSL)_(.+)/u.exec(code ?? '')?.[1] ?? said;
  return written
    ?.toUpperCase()
    .replaceAll(/[^A-Z0-9/]+/gu, '_')
    .replace(/^(SSLV3|TLSV1|TLSV13|SSL\/TLS)_/u, '')
    .replace(/^ALERT_/u, '');
}

type OtherProtocol = 'http2' | 'tls' | 'ssh' | 'mail' | 'ftp' | 'redis';

/** What servers of other protocols send first, or in answer to a request that they cannot read. */
const greetings: readonly (readonly [RegExp, OtherProtocol])[] = [
  [/^SSH-\d/u, 'ssh'],
  [/^(220|421|554)[ -].*(SMTP|Postfix|Exim|mail)/iu, 'mail'],
  [/^220[ -]/u, 'ftp'],
  [/^(\+OK|\* OK)/u, 'mail'],
  [/^-ERR/u, 'redis'],
];

const settingsFrame = 4;
const goAwayFrame = 7;

/** The head of an HTTP/2 frame: three bytes of length, the type, the flags, and four bytes for stream 0. */
function isHttp2(beginning: string): boolean {
  const type = beginning.charCodeAt(3);
  const isOfConnection = beginning.startsWith('\0\0') && beginning.slice(5, 9) === '\0'.repeat(4);
  return isOfConnection && (type === settingsFrame || type === goAwayFrame);
}

const tlsRecords = ['\x15\x03', '\x16\x03'];

/** The protocol of a reply that is not HTTP/1.1. Only its beginning is examined, and none of it is shown. */
function otherProtocol(error: Error): OtherProtocol | undefined {
  const beginning = beginningOf(error);
  if (isHttp2(beginning)) return 'http2';
  if (tlsRecords.some((record) => beginning.startsWith(record))) return 'tls';
  return greetings.find(([greeting]) => greeting.test(beginning))?.[1];
}

function beginningOf(error: Error): string {
  // undici keeps the text that it could not parse; Node's own client keeps the packet.
  if ('data' in error && typeof error.data === 'string') return error.data.slice(0, 200);
  if ('rawPacket' in error && error.rawPacket instanceof Uint8Array) {
    return Buffer.from(error.rawPacket.subarray(0, 200)).toString('latin1');
  }
  return '';
}
