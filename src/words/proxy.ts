import { Told } from './told.ts';

/** The text itself may hold a password: no more of it is shown than its scheme. */
export function notAProxy(scheme: string | undefined): string {
  return scheme === undefined
    ? 'The proxy in HTTPS_PROXY is not an http:// or https:// URL'
    : `The proxy in HTTPS_PROXY begins with ${scheme}://, and botctl uses only http:// and https:// proxies`;
}

export const unreadableProxy = 'an unreadable proxy URL';

export const proxyHint = 'Set HTTPS_PROXY to a URL like http://proxy:3128, or unset it.';

export function badProxy(scheme: string | undefined): Told {
  return new Told('bad-proxy', notAProxy(scheme), { hint: proxyHint });
}
