import { isLoopback } from '../intent/baseUrl.ts';
import { type ProxyServer, proxyFor } from './proxy.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type ProxyInEnv = { readonly shown: string; readonly server: ProxyServer | undefined };

/** The proxy that the environment names, and whether it is on the way to this origin. */
export function proxyInEnv(origin: URL | undefined, env: Env): ProxyInEnv | undefined {
  const text = (env.https_proxy ?? env.HTTPS_PROXY ?? '').trim();
  if (text === '') return undefined;
  const written = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(written)) return { shown: 'what HTTPS_PROXY says', server: undefined };
  const url = new URL(written);
  return { shown: `${url.protocol}//${url.host}`, server: origin && serverFor(origin, env) };
}

/** As a flight would go: what is for this machine asks no proxy. */
function serverFor(origin: URL, env: Env): ProxyServer | undefined {
  if (origin.protocol !== 'https:' || isLoopback(origin)) return undefined;
  try {
    return proxyFor(origin, env);
  } catch {
    return undefined;
  }
}
