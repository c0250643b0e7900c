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

/** `certificate`: this machine does not accept the other side's. A code is Node's, a reason OpenSSL's. */
export type TlsTrouble =
  | { readonly is: 'certificate'; readonly problem: CertificateProblem; readonly code?: string }
  | { readonly is: 'tls'; readonly problem: TlsProblem; readonly reason?: string };

/** What Node calls a certificate that it does not accept. */
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

/** The same as OpenSSL's reasons, without what says which side and which version of TLS they come from. */
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

/** What is wrong with TLS; undefined if it is not TLS. No text of OpenSSL gets out. */
export function tlsTrouble(code: string | undefined, message: string): TlsTrouble | undefined {
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

/** A code like ERR_SSL_TLSV1_ALERT_UNKNOWN_CA, or where there is only OpenSSL's line, what that gives as reason. */
function reasonOf(code: string | undefined, message: string): string | undefined {
  const said = /:SSL routines:[^:]*:([\w /.-]{1,80})/u.exec(message)?.[1];
  const written = /^ERR_(?:SSL|OSSL)_(.+)/u.exec(code ?? '')?.[1] ?? said;
  return written
    ?.toUpperCase()
    .replaceAll(/[^A-Z0-9/]+/gu, '_')
    .replace(/^(SSLV3|TLSV1|TLSV13|SSL\/TLS)_/u, '')
    .replace(/^ALERT_/u, '');
}
