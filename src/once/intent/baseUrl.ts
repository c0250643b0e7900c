import { type IntentFacts, intentFailure } from './facts.ts';

/** Where a service is, written one way only: it is part of what an intent is. */
export type BaseUrl = string & { readonly brand: 'BaseUrl' };

/** The sandbox's base URL in every identity and key, whatever port it got. */
export const sandboxBaseUrl = 'sandbox' as BaseUrl;

const loopbackHosts = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/u;

export function isLoopback(url: URL): boolean {
  return loopbackHosts.test(url.hostname);
}

/** What proxies and servers read as another path, so that one service would have many spellings. */
const manySpelled = /[%\\;]|\/\/|\/\.{1,2}(?=\/|$)/u;

/**
 * Whole and normalised: case of host, default port, one trailing slash. The rest is refused as it was typed, before
 * a URL parser removes it. `name` is said where it is wrong.
 */
export function parseBaseUrl(text: string, name?: string): BaseUrl {
  const bad = (fault: IntentFacts['bad-base-url']['fault']) => intentFailure('bad-base-url', { name, fault });
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

/** The URL in identities and keys: all loopback names are one host, and a trailing dot of the host goes. */
export function identityUrl(spelled: BaseUrl): BaseUrl {
  return withoutDot(spelled).replace(
    /^(?<scheme>https?:\/\/)(?:localhost|\[::1\])(?=[:/]|$)/u,
    '$<scheme>127.0.0.1',
  ) as BaseUrl;
}

/** The dot says that a name is whole: resolvers need not search for it, and it names the same host. */
function withoutDot(url: string): string {
  return url.replace(/^(https?:\/\/[^/:]+)\.(?=[:/]|$)/u, '$1');
}

/** Where a token belongs, and whose two base URLs are one service's. The sandbox is a service of its own. */
export function originOf(baseUrl: string): string {
  return withoutDot(/^https?:\/\/[^/]+/u.exec(baseUrl)?.[0] ?? baseUrl);
}
