import { badBaseUrl } from '../words/baseUrl.ts';

/** Where a service is, written one way only: it is part of what an intent is. */
export type BaseUrl = string & { readonly brand: 'BaseUrl' };

/** The sandbox's base URL in every identity and key, whatever port it got. */
export const sandboxBaseUrl = 'sandbox' as BaseUrl;

const loopbackHosts = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/u;

export function isLoopback(url: URL): boolean {
  return loopbackHosts.test(url.hostname);
}

/** Whole and normalised: case of host, default port, trailing slash. `name` is said where it is wrong. */
export function parseBaseUrl(text: string, name = 'The base URL'): BaseUrl {
  if (!URL.canParse(text)) throw badBaseUrl(name, 'not-a-url');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw badBaseUrl(name, 'user-info');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    throw badBaseUrl(name, 'not-https');
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/u.test(text)) throw badBaseUrl(name, 'query');
  return `${url.origin}${url.pathname.replace(/\/+$/u, '')}` as BaseUrl;
}

/** What identities and keys say of where: there loopback is one host, however it is spelled. */
export function identityUrl(spelled: BaseUrl): BaseUrl {
  return spelled.replace(
    /^(https?:\/\/)(?:localhost|\[::1\])(?=[:/]|$)/u,
    (_host, scheme: string) => `${scheme}127.0.0.1`,
  ) as BaseUrl;
}

export function originOf(baseUrl: BaseUrl): string {
  return new URL(baseUrl).origin;
}
