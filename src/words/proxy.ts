import { Told } from './told.ts';

const needsUser = 'the proxy asks for a user and a password (status 407)';
const wrongUser = 'the proxy does not accept the user and the password in HTTPS_PROXY (status 407)';
const forbids = 'the proxy does not allow this connection (status 403)';
const makesNone = 'the server at the proxy’s address makes no tunnels';

const refusals: Readonly<Record<number, string>> = {
  400: 'the proxy does not understand the request for a tunnel (status 400)',
  401: 'the proxy does not allow this connection (status 401)',
  403: forbids,
  404: `${makesNone} (status 404)`,
  405: `${makesNone} (status 405)`,
  501: `${makesNone} (status 501)`,
  429: 'the proxy limits the rate (status 429)',
  502: 'the proxy could not reach the service (status 502)',
  503: 'the proxy could not reach the service (status 503)',
  504: 'the proxy could not reach the service in time (status 504)',
};

/** Why a proxy gave no tunnel, by the status of its answer: part of a sentence. */
export function tunnelRefused(status: number, hasUser: boolean): string {
  if (status === 407) return hasUser ? wrongUser : needsUser;
  return refusals[status] ?? `the proxy refused the tunnel (status ${status})`;
}

export function proxyUnusable(trouble: string): string {
  return `the proxy could not be used: ${trouble}`;
}

const giveUser =
  'Put the proxy’s user and password into HTTPS_PROXY, as in http://USER:PASSWORD@proxy:3128 (special characters as %40 and the like)';

export const proxyAdvice: Readonly<Record<string, string>> = {
  [needsUser]: giveUser,
  [wrongUser]: giveUser,
  [forbids]:
    'Ask whoever runs the proxy to allow the service, or name its host in NO_PROXY to go past the proxy',
  [makesNone]: 'Check the address in HTTPS_PROXY',
};

/** The text itself may hold a password: no more of it is shown than its scheme. */
export function notAProxy(scheme: string | undefined): string {
  return scheme === undefined
    ? 'The proxy in HTTPS_PROXY is not an http:// or https:// URL'
    : `The proxy in HTTPS_PROXY begins with ${scheme}://, and botctl uses only http:// and https:// proxies`;
}

export const unreadableProxy = 'an unreadable proxy URL';

export const proxyHint = 'Set HTTPS_PROXY to a URL like http://proxy:3128, or unset it.';

export function badProxy(trouble: string): Told {
  return new Told('bad-proxy', trouble, { hint: proxyHint });
}
