import { Failure } from '../errors.ts';

/** Where a service is, written one way only: it is part of what an intent is. */
export type BaseUrl = string & { readonly brand: 'BaseUrl' };

/** The sandbox's base URL in every identity and key, whatever port it got. */
export const sandboxBaseUrl = 'sandbox' as BaseUrl;

const loopbackHosts = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/u;

function refuse(why: string, hint: string): Failure {
  return new Failure('base-url', `The base URL ${why}.`, { hint });
}

export function isLoopback(url: URL): boolean {
  return loopbackHosts.test(url.hostname);
}

/** Whole and normalised: case of host, default port, trailing slash. The text itself is never echoed. */
export function parseBaseUrl(text: string): BaseUrl {
  const example = 'Give it like https://bots.example.com.';
  if (!URL.canParse(text)) throw refuse('is not a URL', example);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw refuse('carries user info', 'Take it out: botctl authenticates with the bot token only.');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    throw refuse(
      'is not https',
      'Use https: the token would travel in the clear. Only loopback may be http.',
    );
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/u.test(text)) {
    throw refuse('has a query or a fragment', example);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/u, '')}` as BaseUrl;
}

export function originOf(baseUrl: BaseUrl): string {
  return new URL(baseUrl).origin;
}
