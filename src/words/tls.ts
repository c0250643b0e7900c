/** What is wrong with TLS, each as part of a sentence. */
export const tlsTroubles = {
  unknownAuthority: 'the certificate is from an authority that this machine does not know',
  selfSigned: 'the certificate is self-signed',
  expired: 'the certificate has expired',
  notYetValid: 'the certificate is not valid yet',
  revoked: 'the certificate has been revoked',
  notForThisUse: 'the certificate is not accepted for this use',
  issuerIsNone: 'the certificate was not issued by a certificate authority',
  notForServers: 'the certificate is not meant for servers',
  chainTooLong: 'the chain of certificates is too long',
  wrongSignature: 'the signature of the certificate is wrong',
  otherHost: 'the certificate is for another host',
  tooWeak: 'the key or the signature of the certificate is too weak',
  notAccepted: 'the certificate is not accepted',
  notTls: 'the server does not speak TLS',
  otherVersion: 'the server speaks only versions of TLS that are too old or unknown',
  nothingInCommon:
    'the server refused to set up TLS: no encryption in common, or it asks for a client certificate',
  wantsClient: 'the server asks for a client certificate, and botctl has none',
  authorityRefused: 'the server refused a certificate: it does not know the authority',
  kindRefused: 'the server refused a certificate: it does not accept certificates of this kind',
  revokedRefused: 'the server refused a certificate: it has been revoked',
  expiredRefused: 'the server refused a certificate: it has expired',
  refused: 'the server refused a certificate',
  connectionRefused: 'the server refused the connection',
  hostUnknown: 'the server does not know this host name',
  onlyHttp2: 'the server does not accept HTTP/1.1; it may speak only HTTP/2',
  serverFailed: 'the server failed while TLS was set up',
  closed: 'the connection was closed by the other side',
  damaged: 'the data arrived damaged',
  failed: 'TLS failed',
} as const;

/** A reason for which there are no words of ours, by its name. */
export function withReason(trouble: string, reason: string): string {
  return `${trouble} (${reason})`;
}

const extraAuthorities =
  'If its certificate is from a private authority, set NODE_EXTRA_CA_CERTS to the file of that authority’s certificate';
const checkTheDate =
  'Check the date of this machine (date -u); if it is right, tell those who run the server';

/** What to do about a certificate or about TLS, where there is something to do. */
export const tlsAdvice: Readonly<Record<string, string>> = {
  [tlsTroubles.unknownAuthority]: extraAuthorities,
  [tlsTroubles.selfSigned]: extraAuthorities,
  [tlsTroubles.expired]: checkTheDate,
  [tlsTroubles.notYetValid]: checkTheDate,
  [tlsTroubles.otherHost]: 'Check the base URL: the server has no certificate for that host',
  [tlsTroubles.onlyHttp2]:
    'botctl speaks HTTP/1.1: ask whoever runs the server to allow it, or use another base URL',
  [tlsTroubles.wantsClient]: 'botctl sends no client certificate: ask for an address that needs none',
};
