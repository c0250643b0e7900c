import { request as plainRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isLoopback } from '../intent/baseUrl.ts';
import { dial } from './connecting.ts';
import { BadProxy, type ProxyServer, proxyFor, proxyText } from './proxy.ts';
import { type Trouble, TroubleError, troubleOf } from './trouble.ts';

/** What a test connection to a service shows, without a request to its API. */
export type Probe = {
  readonly reached: boolean;
  /** Why the service was not reached, or why it did not reply. */
  readonly trouble: Trouble | undefined;
  readonly tls: { readonly protocol: string; readonly validToMs: number | undefined } | undefined;
  /** The service's clock, and this machine's at the same moment. */
  readonly clock: { readonly theirsMs: number; readonly oursMs: number } | undefined;
};

type ProbeSettings = {
  readonly origin: string;
  readonly proxy: ProxyServer | undefined;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly now: () => number;
};

const nothing = {
  reached: false,
  trouble: undefined,
  tls: undefined,
  clock: undefined,
} as const;

/**
 * Connects like an attempt: TCP, through the proxy's tunnel if there is one, and TLS. Then sends HEAD for `/` without
 * the token: the method changes nothing by definition, and the path is not part of the API. Only the reply's Date is
 * used, and a reply without one is no fault.
 */
export async function probe(settings: ProbeSettings): Promise<Probe> {
  const service = new URL(settings.origin);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new TroubleError({ is: 'no-answer' })), settings.timeoutMs);
  let found: Probe = nothing;
  let socket: Socket | TLSSocket | undefined;
  try {
    socket = await dial(service, settings.proxy, late.signal);
    found = { ...nothing, reached: true, tls: tlsOf(socket) };
    return { ...found, clock: await clockOf(socket, service, settings, late.signal) };
  } catch (error) {
    const reason: unknown = late.signal.aborted ? late.signal.reason : error;
    return { ...found, trouble: troubleOf(reason) };
  } finally {
    clearTimeout(timer);
    socket?.destroy();
  }
}

function clockOf(
  socket: Socket | TLSSocket,
  service: URL,
  { userAgent, now }: ProbeSettings,
  late: AbortSignal,
): Promise<Probe['clock']> {
  return new Promise((resolve, reject) => {
    const headers = { host: service.host, 'user-agent': userAgent };
    const request = plainRequest({
      createConnection: () => socket,
      method: 'HEAD',
      path: '/',
      headers,
      signal: late,
    });
    request.once('response', (response) => {
      response.resume();
      const theirsMs = Date.parse(response.headers.date ?? '');
      resolve(Number.isNaN(theirsMs) ? undefined : { theirsMs, oursMs: now() });
    });
    request.once('error', reject);
    request.end();
  });
}

function tlsOf(socket: Socket | TLSSocket): Probe['tls'] {
  if (!('getPeerCertificate' in socket)) return undefined;
  const validToMs = Date.parse(socket.getPeerCertificate().valid_to ?? '');
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    validToMs: Number.isNaN(validToMs) ? undefined : validToMs,
  };
}

type ProxyEnv = Readonly<Record<string, string | undefined>>;

export type ProxyInEnv = {
  /** Without user and password; absent if the text cannot be understood. */
  readonly shown: string | undefined;
  /** The proxy used for this origin. */
  readonly server: ProxyServer | undefined;
  /** Why it cannot be used. */
  readonly bad: BadProxy | undefined;
};

/** The proxy that the environment names, and whether an attempt for this origin would go through it. */
export function proxyInEnv(origin: URL | undefined, env: ProxyEnv): ProxyInEnv | undefined {
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
