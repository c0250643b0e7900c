import { entryFailure, longestBaseUrl, type UrlFault } from './failures.ts';

/** The address of a service, in one spelling only, because it is part of an entry's identity. */
export type BaseUrl = string & { readonly brand: 'BaseUrl' };

/** The sandbox's base URL in every identity and key, whichever port it uses. */
export const sandboxBaseUrl = 'sandbox' as BaseUrl;

const loopbackHosts = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/u;

export function isLoopback(url: URL): boolean {
  return loopbackHosts.test(url.hostname);
}

/** Proxies and servers may read these as another path, so one service would have many spellings. */
const manySpelled = /[%\\;]|\/\/|\/\.{1,2}(?=\/|$)/u;

/**
 * Normalises the URL: case of the host, default port, one trailing slash. Refuses any other variant, which it seeks in
 * the text as typed, because a URL parser would remove it. `name` is for the error.
 */
export function parseBaseUrl(text: string, name?: string): BaseUrl {
  const bad = (fault: UrlFault) => entryFailure('bad-base-url', { name, fault });
  if (text.length > longestBaseUrl) throw bad('long');
  if (!URL.canParse(text)) throw bad('not-a-url');
  const url = new URL(text);
  const [, host = '', path = ''] = /^https?:\/\/([^/\\?#]*)([^?#]*)/isu.exec(text) ?? [];
  if (url.username !== '' || url.password !== '' || host.includes('@')) throw bad('user-info');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    throw bad('not-https');
  }
  if (/[?#]/u.test(text)) throw bad('query');
  if (host === '' || /[\s%\p{Cc}]|\.\./u.test(host)) throw bad('not-a-url');
  if (manySpelled.test(path) || url.pathname !== (path || '/')) throw bad('path');
  return `${url.origin}${path.replace(/\/$/u, '')}` as BaseUrl;
}

/** What stands between a base URL and the name of an operation. */
export const apiPath = '/api/bot/v1';

/** The URL without the path that botctl adds itself, if it ends with that. */
export function withoutApiPath(baseUrl: string): string | undefined {
  return baseUrl.endsWith(apiPath) ? baseUrl.slice(0, -apiPath.length) : undefined;
}

/** The URL used for identity and key: all loopback names count as one, and a trailing dot of the host is dropped. */
export function identityUrl(spelled: BaseUrl): BaseUrl {
  return withoutDot(spelled).replace(
    /^(?<scheme>https?:\/\/)(?:localhost|\[::1\])(?=[:/]|$)/u,
    '$<scheme>127.0.0.1',
  ) as BaseUrl;
}

/** The dot only tells resolvers that the name is complete. It names the same host. */
function withoutDot(url: string): string {
  return url.replace(/^(https?:\/\/[^/:]+)\.(?=[:/]|$)/u, '$1');
}

/**
 * The origin that a token belongs to. Base URLs with the same origin are one service's. The sandbox is its own service.
 */
export function originOf(baseUrl: string): string {
  return withoutDot(/^https?:\/\/[^/]+/u.exec(baseUrl)?.[0] ?? baseUrl);
}
