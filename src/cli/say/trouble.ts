import type { Trouble } from '../../once/wire/trouble.ts';

type Of<Is extends Trouble['is']> = Trouble & { readonly is: Is };
type CertificateProblem<Is extends 'certificate' | 'tls'> = Of<Is>['problem'];

const certificateProblems: Readonly<Record<CertificateProblem<'certificate'>, string>> = {
  'unknown-authority': 'the certificate is from an authority that this machine does not know',
  'self-signed': 'the certificate is self-signed',
  expired: 'the certificate has expired',
  'not-yet-valid': 'the certificate is not valid yet',
  revoked: 'the certificate has been revoked',
  'not-for-this-use': 'the certificate is not accepted for this use',
  'not-for-servers': 'the certificate is not meant for servers',
  'issuer-is-no-authority': 'the certificate was not issued by a certificate authority',
  'chain-too-long': 'the chain of certificates is too long',
  'wrong-signature': 'the signature of the certificate is wrong',
  'other-host': 'the certificate is for another host',
  'too-weak': 'the key or the signature of the certificate is too weak',
  'not-accepted': 'the certificate is not accepted',
};

const tlsProblems: Readonly<Record<CertificateProblem<'tls'>, string>> = {
  'not-spoken': 'the server does not speak TLS',
  'other-version': 'the server speaks only versions of TLS that are too old or unknown',
  'nothing-in-common':
    'the server refused to set up TLS: no encryption in common, or it asks for a client certificate',
  'wants-certificate': 'the server asks for a client certificate, and botctl has none',
  'certificate-of-unknown-authority': 'the server refused a certificate: it does not know the authority',
  'certificate-of-other-kind':
    'the server refused a certificate: it does not accept certificates of this kind',
  'certificate-revoked': 'the server refused a certificate: it has been revoked',
  'certificate-expired': 'the server refused a certificate: it has expired',
  'certificate-refused': 'the server refused a certificate',
  'connection-refused': 'the server refused the connection',
  'unknown-host': 'the server does not know this host name',
  'only-http2': 'the server does not accept HTTP/1.1; it may speak only HTTP/2',
  'server-failed': 'the server failed while TLS was set up',
  closed: 'the connection was closed by the other side',
  damaged: 'the data arrived damaged',
  failed: 'TLS failed',
};

const protocols: Readonly<Record<Of<'not-http'>['speaks'], string>> = {
  http2: 'the server speaks only HTTP/2, and botctl speaks HTTP/1.1',
  tls: 'the server speaks TLS: the base URL must begin with https://',
  ssh: 'an SSH server answers there, not HTTP',
  mail: 'a mail server answers there, not HTTP',
  ftp: 'an FTP or mail server answers there, not HTTP',
  redis: 'a Redis or mail server answers there, not HTTP',
  unknown: 'the reply was not HTTP',
};

const noTunnel: Readonly<Record<number, string>> = {
  400: 'the proxy does not understand the request for a tunnel',
  401: 'the proxy does not allow this connection',
  403: 'the proxy does not allow this connection',
  404: 'the server at the proxy’s address does not make tunnels',
  405: 'the server at the proxy’s address does not make tunnels',
  407: 'the proxy asks for a user and a password',
  429: 'the proxy limits the rate',
  501: 'the server at the proxy’s address does not make tunnels',
  502: 'the proxy could not reach the service',
  503: 'the proxy could not reach the service',
  504: 'the proxy could not reach the service in time',
};

function tunnelWords({ status, withUser }: Of<'no-tunnel'>): string {
  const words =
    status === 407 && withUser
      ? 'the proxy does not accept the user and the password in HTTPS_PROXY'
      : (noTunnel[status] ?? 'the proxy refused the tunnel');
  return `${words} (status ${status})`;
}

/** Adds the system's name for it. */
function named(words: string | undefined, name: string | undefined): string | undefined {
  return words === undefined || name === undefined ? words : `${words} (${name})`;
}

const sentences: { readonly [Is in Trouble['is']]: string | ((trouble: Of<Is>) => string | undefined) } = {
  'host-not-found': 'the host name was not found',
  'lookup-failed': 'the host name could not be looked up',
  refused: 'the connection was refused',
  reset: 'the connection was reset',
  closed: 'the connection was closed',
  'closed-by-other-side': 'the connection was closed by the other side',
  'network-unreachable': 'the network is not reachable',
  'host-unreachable': 'the host is not reachable',
  'connection-timed-out': 'the connection timed out',
  'connecting-too-slow': 'connecting took too long',
  certificate: ({ problem, code }) => named(certificateProblems[problem], code),
  tls: ({ problem, reason }) => named(tlsProblems[problem], reason),
  'not-http': ({ speaks }) => protocols[speaks],
  'no-tunnel': tunnelWords,
  'timed-out': 'no complete reply came in time',
  'no-answer': 'no answer came in time',
  'reply-broke-off': 'the reply broke off',
  'reply-too-long': 'the reply was longer than botctl reads',
  'someone-elses-reply': 'the reply belongs to another request',
  interrupted: 'it was interrupted',
  'given-up': 'it was abandoned',
  'given-back': 'it was returned before its turn came',
  'other-origin': 'the address belongs to another origin',
  'process-died': 'its process ended before the reply was recorded',
  'journal-gone': 'the journal was gone by the time the connection was ready',
  'claim-too-old': 'this process was silent for too long, and another one may have taken over',
  'too-late': 'it was too late by the time the connection was ready',
  'attempt-failed': ({ text }) => `the request itself failed (${text})`,
  other: ({ code, text }) => `the connection failed (${code === undefined ? text : `${code}: ${text}`})`,
};

/** What went wrong with an attempt, as part of a sentence. */
export function troubleWords(trouble: Trouble): string {
  const sentence: string | ((trouble: never) => string | undefined) = sentences[trouble.is];
  const known = typeof sentence === 'function' ? sentence(trouble as never) : sentence;
  // A later version may have stored a trouble that this one does not know.
  const words = known ?? JSON.stringify(trouble);
  return trouble.atProxy ? `the proxy could not be used: ${words}` : words;
}

const extraAuthorities =
  'If its certificate is from a private authority, set NODE_EXTRA_CA_CERTS to the file of that authority’s certificate';
const checkTheDate = 'Check the date of this machine (date -u); if it is right, tell the server’s operator';

const certificateAdvice: { readonly [P in CertificateProblem<'certificate'>]?: string } = {
  'unknown-authority': extraAuthorities,
  'self-signed': extraAuthorities,
  expired: checkTheDate,
  'not-yet-valid': checkTheDate,
  'other-host': 'Check the base URL: the server has no certificate for that host',
};

const tlsAdvice: { readonly [P in CertificateProblem<'tls'>]?: string } = {
  'only-http2': 'botctl speaks HTTP/1.1: ask the server’s operator to allow it, or use another base URL',
  'wants-certificate': 'botctl sends no client certificate: ask for an address that needs none',
};

const checkTheProxy = 'Check the address in HTTPS_PROXY';

const tunnelAdvice: Readonly<Record<number, string>> = {
  403: 'Ask the proxy’s operator to allow the service, or name its host in NO_PROXY to bypass the proxy',
  404: checkTheProxy,
  405: checkTheProxy,
  407: 'Put the proxy’s user and password into HTTPS_PROXY, as in http://USER:PASSWORD@proxy:3128 (write special characters in the form %40)',
  501: checkTheProxy,
};

/** What to do about a trouble, as the start of a sentence; undefined if nothing special helps. */
export function adviceOn(trouble: Trouble | undefined): string | undefined {
  switch (trouble?.is) {
    case 'certificate':
      return certificateAdvice[trouble.problem];
    case 'tls':
      return tlsAdvice[trouble.problem];
    case 'no-tunnel':
      return tunnelAdvice[trouble.status];
    default:
      return undefined;
  }
}
