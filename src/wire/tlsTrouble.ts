import { tlsTroubles as say, withReason } from '../words/tls.ts';

/** What Node calls a certificate that it does not accept. */
const certificates: Readonly<Record<string, string>> = {
  UNABLE_TO_GET_ISSUER_CERT: say.unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: say.unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: say.unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: say.unknownAuthority,
  CERT_UNTRUSTED: say.unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: say.selfSigned,
  CERT_HAS_EXPIRED: say.expired,
  CERT_NOT_YET_VALID: say.notYetValid,
  CERT_REVOKED: say.revoked,
  CERT_REJECTED: say.notForThisUse,
  INVALID_CA: say.issuerIsNone,
  INVALID_PURPOSE: say.notForServers,
  PATH_LENGTH_EXCEEDED: say.chainTooLong,
  CERT_CHAIN_TOO_LONG: say.chainTooLong,
  CERT_SIGNATURE_FAILURE: say.wrongSignature,
  HOSTNAME_MISMATCH: say.otherHost,
  ERR_TLS_CERT_ALTNAME_INVALID: say.otherHost,
  ERR_TLS_DH_PARAM_SIZE: say.tooWeak,
};

/** Trying again helps only after somebody has changed the server, the proxy or this machine. */
export function isOfCertificate(trouble: string | undefined): boolean {
  const known = [...Object.values(certificates), say.notAccepted];
  return trouble !== undefined && known.some((words) => trouble.includes(words));
}

/** OpenSSL's reasons, without what says which side and which version of TLS they come from. */
const reasons: Readonly<Record<string, string>> = {
  WRONG_VERSION_NUMBER: say.notTls,
  PACKET_LENGTH_TOO_LONG: say.notTls,
  DATA_LENGTH_TOO_LONG: say.notTls,
  HTTP_REQUEST: say.notTls,
  UNKNOWN_PROTOCOL: say.notTls,
  UNSUPPORTED_PROTOCOL: say.otherVersion,
  PROTOCOL_VERSION: say.otherVersion,
  INAPPROPRIATE_FALLBACK: say.otherVersion,
  UNSAFE_LEGACY_RENEGOTIATION_DISABLED: say.otherVersion,
  HANDSHAKE_FAILURE: say.nothingInCommon,
  INSUFFICIENT_SECURITY: say.nothingInCommon,
  NO_PROTOCOLS_AVAILABLE: say.nothingInCommon,
  NO_CIPHERS_AVAILABLE: say.nothingInCommon,
  CERTIFICATE_REQUIRED: say.wantsClient,
  NO_CERTIFICATE: say.wantsClient,
  BAD_CERTIFICATE: say.wantsClient,
  UNKNOWN_CA: say.authorityRefused,
  UNSUPPORTED_CERTIFICATE: say.kindRefused,
  CERTIFICATE_REVOKED: say.revokedRefused,
  CERTIFICATE_EXPIRED: say.expiredRefused,
  CERTIFICATE_UNKNOWN: say.refused,
  CERTIFICATE_VERIFY_FAILED: say.unknownAuthority,
  ACCESS_DENIED: say.connectionRefused,
  UNRECOGNIZED_NAME: say.hostUnknown,
  NO_APPLICATION_PROTOCOL: say.onlyHttp2,
  INTERNAL_ERROR: say.serverFailed,
  UNEXPECTED_EOF_WHILE_READING: say.closed,
  BAD_RECORD_MAC: say.damaged,
  DECRYPTION_FAILED_OR_BAD_RECORD_MAC: say.damaged,
  DECRYPT_ERROR: say.damaged,
  DH_KEY_TOO_SMALL: say.tooWeak,
  EE_KEY_TOO_SMALL: say.tooWeak,
  CA_KEY_TOO_SMALL: say.tooWeak,
  CA_MD_TOO_WEAK: say.tooWeak,
};

/** What is wrong with TLS, as part of a sentence; undefined where it is not TLS. No text of OpenSSL gets out. */
export function tlsTrouble(code: string | undefined, message: string): string | undefined {
  if (code !== undefined && Object.hasOwn(certificates, code)) return certificates[code];
  if (code === 'UNSPECIFIED') return /too weak/u.test(message) ? say.tooWeak : say.notAccepted;
  const reason = reasonOf(code, message);
  if (reason !== undefined) return reasons[reason] ?? withReason(say.failed, reason);
  if (code !== undefined && isCertificateCode(code)) return withReason(say.notAccepted, code);
  return /openssl|:SSL routines:|\berror:[\dA-F]{8}:/iu.test(message) ? say.failed : undefined;
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
