type Env = Readonly<Record<string, string | undefined>>;

export type ProxyServer = {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** Its own user and password, as the header that carries them. */
  readonly authorization: string | undefined;
};

/** What a variable says in lower case, or in upper case: an empty one says nothing, and hides nothing. */
function said(env: Env, lower: 'https_proxy' | 'no_proxy'): string {
  return env[lower]?.trim() || env[lower.toUpperCase()]?.trim() || '';
}

/** The text that names the proxy; empty where there is none. It may hold a password. */
export function proxyText(env: Env): string {
  return said(env, 'https_proxy');
}

/** The proxy on the way to an https origin, if the environment names one and does not except the origin. */
export function proxyFor(origin: URL, env: Env): ProxyServer | undefined {
  const text = proxyText(env);
  if (text === '' || isExcepted(origin, said(env, 'no_proxy'))) return undefined;
  return parseProxy(text);
}

function parseProxy(text: string): ProxyServer {
  try {
    const url = new URL(text.includes('://') ? text : `http://${text}`);
    const secure = url.protocol === 'https:';
    if ((!secure && url.protocol !== 'http:') || url.hostname === '') throw new TypeError();
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return {
      secure,
      host: url.hostname.replace(/^\[|\]$/gu, ''),
      port: Number(url.port) || (secure ? 443 : 80),
      authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
    };
  } catch {
    throw new BadProxy(knownSchemes.exec(text)?.[1]?.toLowerCase());
  }
}

/** A proxy that cannot be one: refused before anything is journaled. Its text may hold a password. */
export class BadProxy extends Error {
  readonly scheme: string | undefined;

  constructor(scheme: string | undefined) {
    super('not-a-proxy');
    this.scheme = scheme;
  }
}

const knownSchemes = /^(socks[45]?[ah]?|ftp|file|wss?|quic|ssh):\/\//iu;

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
