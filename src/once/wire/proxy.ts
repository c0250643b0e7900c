import { wireFailure } from './failures.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type ProxyServer = ReturnType<typeof parseProxy>;

/** The variable in lower case, or else in upper case. An empty one counts as unset and does not hide the other. */
function said(env: Env, lower: 'https_proxy' | 'no_proxy'): string {
  return env[lower]?.trim() || env[lower.toUpperCase()]?.trim() || '';
}

/** The proxy for an https origin, if the environment names one and does not except the origin. */
export function proxyFor(origin: URL, env: Env): ProxyServer | undefined {
  const text = said(env, 'https_proxy');
  if (text === '' || isExcepted(origin, said(env, 'no_proxy'))) return undefined;
  return parseProxy(text);
}

function parseProxy(text: string) {
  try {
    const url = new URL(text.includes('://') ? text : `http://${text}`);
    const secure = url.protocol === 'https:';
    if ((!secure && url.protocol !== 'http:') || url.hostname === '') throw new TypeError();
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return {
      secure,
      host: url.hostname.replace(/^\[|\]$/gu, ''),
      port: Number(url.port) || (secure ? 443 : 80),
      /** The header with the proxy's user and password. */
      authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
    };
  } catch {
    throw wireFailure('bad-proxy', {});
  }
}

/**
 * Whether NO_PROXY lists the host, with or without a port; a host includes all names below it, and `*` means all hosts.
 */
function isExcepted(origin: URL, list: string): boolean {
  const port = origin.port || '443';
  return list
    .toLowerCase()
    .split(/[\s,]+/u)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, host = entry, only = port] = /^([^:]+|\[.*\]):(\d+)$/u.exec(entry) ?? [];
      const name = host.replace(/^\*?\./u, '');
      return only === port && (origin.hostname === name || origin.hostname.endsWith(`.${name}`));
    });
}
