import { isLoopback } from '../intent/baseUrl.ts';
import { unreadableProxy } from '../words/proxy.ts';
import { type ProxyServer, proxyFor, proxyText } from './proxy.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type ProxyInEnv = {
  /** As people may read it: without its user and password. */
  readonly shown: string;
  /** Where it is on the way to this origin. */
  readonly server: ProxyServer | undefined;
  /** Why it cannot be used, as part of a sentence. */
  readonly trouble: string | undefined;
};

/** The proxy that the environment names, and whether an attempt for this origin would go through it. */
export function proxyInEnv(origin: URL | undefined, env: Env): ProxyInEnv | undefined {
  const text = proxyText(env);
  if (text === '') return undefined;
  const written = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const shown = url === undefined ? unreadableProxy : `${url.protocol}//${url.host}`;
  if (origin === undefined || origin.protocol !== 'https:' || isLoopback(origin)) {
    return { shown, server: undefined, trouble: undefined };
  }
  try {
    return { shown, server: proxyFor(origin, env), trouble: undefined };
  } catch (error) {
    return { shown, server: undefined, trouble: error instanceof Error ? error.message : String(error) };
  }
}
