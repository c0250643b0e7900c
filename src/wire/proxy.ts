import { WireTrouble } from './trouble.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type ProxyServer = {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** Its own user and password, as the header that carries them. */
  readonly authorization: string | undefined;
};

/** The proxy on the way to an https origin, if the environment names one and does not except the origin. */
export function proxyFor(origin: URL, env: Env): ProxyServer | undefined {
  const text = (env.https_proxy ?? env.HTTPS_PROXY ?? '').trim();
  if (text === '' || isExcepted(origin, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  return parseProxy(text);
}

function parseProxy(text: string): ProxyServer {
  try {
    const url = new URL(text.includes('://') ? text : `http://${text}`);
    const secure = url.protocol === 'https:';
    if ((!secure && url.protocol !== 'http:') || url.hostname === '') throw new TypeError('no proxy');
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return {
      secure,
      host: url.hostname.replace(/^\[|\]$/gu, ''),
      port: Number(url.port) || (secure ? 443 : 80),
      authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
    };
  } catch {
    // Not the text itself: it may hold a password.
    throw new WireTrouble('the proxy in HTTPS_PROXY is no http:// or https:// URL');
  }
}

/** NO_PROXY: hosts with or without a port, each for all below it too; `*` for all. */
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
