import type { ProxyServer } from './probe.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type ProxyInEnv = { readonly shown: string; readonly server: ProxyServer | undefined };

/** The proxy that the environment names, and whether it is on the way to this origin. */
export function proxyInEnv(origin: URL | undefined, env: Env): ProxyInEnv | undefined {
  const text = (env.https_proxy ?? env.HTTPS_PROXY ?? '').trim();
  if (text === '') return undefined;
  const written = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(written)) return { shown: 'what HTTPS_PROXY says', server: undefined };
  const url = new URL(written);
  const used = origin?.protocol === 'https:' && !isExcepted(origin, env.no_proxy ?? env.NO_PROXY ?? '');
  return { shown: `${url.protocol}//${url.host}`, server: used ? serverOf(url) : undefined };
}

function serverOf(url: URL): ProxyServer {
  const secure = url.protocol === 'https:';
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    secure,
    host: url.hostname.replace(/^\[|\]$/gu, ''),
    port: Number(url.port) || (secure ? 443 : 80),
    authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
  };
}

function isExcepted(origin: URL, list: string): boolean {
  const entries = list.toLowerCase().split(/[\s,]+/u);
  return entries.some((entry) => {
    if (entry === '') return false;
    if (entry === '*') return true;
    const name = entry.replace(/^\*?\./u, '').replace(/:\d+$/u, '');
    return origin.hostname === name || origin.hostname.endsWith(`.${name}`);
  });
}
