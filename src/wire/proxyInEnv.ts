import { isLoopback } from '../intent/baseUrl.ts';
import { BadProxy, type ProxyServer, proxyFor, proxyText } from './proxy.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type ProxyInEnv = {
  /** Without its user and password; absent if nobody can tell what it means. */
  readonly shown: string | undefined;
  /** Where it is on the way to this origin. */
  readonly server: ProxyServer | undefined;
  /** It cannot be used. */
  readonly bad: BadProxy | undefined;
};

/** The proxy that the environment names, and whether an attempt for this origin would go through it. */
export function proxyInEnv(origin: URL | undefined, env: Env): ProxyInEnv | undefined {
  const text = proxyText(env);
  if (text === '') return undefined;
  const written = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const shown = url && `${url.protocol}//${url.host}`;
  if (origin === undefined || origin.protocol !== 'https:' || isLoopback(origin)) {
    return { shown, server: undefined, bad: undefined };
  }
  try {
    return { shown, server: proxyFor(origin, env), bad: undefined };
  } catch (error) {
    if (!(error instanceof BadProxy)) throw error;
    return { shown, server: undefined, bad: error };
  }
}
