import { type ClientRequest, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { trusted } from '../../machine/authorities.ts';
import { isLoopback } from '../intent/baseUrl.ts';
import { BadProxy, type ProxyServer, proxyFor, proxyText } from './proxy.ts';
import { isNotHttp, type Trouble, TroubleError, troubleOf } from './trouble.ts';

/** What a test connection to a service shows, without a request to its API. */
export type Probe = {
  readonly reached: boolean;
  /** The other side does not speak HTTP/1.1. */
  readonly speaksOther?: true;
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
  let socket: Duplex | undefined;
  try {
    socket = await open(service, settings.proxy, late.signal);
    found = { ...nothing, reached: true, tls: tlsOf(socket) };
    return { ...found, clock: await clockOf(socket, service, settings, late.signal) };
  } catch (error) {
    const reason: unknown = late.signal.aborted ? late.signal.reason : error;
    return { ...found, ...(isNotHttp(reason) && { speaksOther: true }), trouble: troubleOf(reason) };
  } finally {
    clearTimeout(timer);
    socket?.destroy();
  }
}

async function open(service: URL, proxy: ProxyServer | undefined, late: AbortSignal): Promise<Duplex> {
  const secure = service.protocol === 'https:';
  const host = service.hostname.replace(/^\[|\]$/gu, '');
  const port = Number(service.port) || (secure ? 443 : 80);
  const below = await (proxy === undefined
    ? connected(connectTcp({ host, port }), 'connect', late)
    : tunnel(proxy, `${service.hostname}:${port}`, late));
  if (!secure) return below;
  const servername = /^[\d.]+$|:/u.test(host) ? '' : host;
  const socket = connectTls({ socket: below, host, servername, ALPNProtocols: ['http/1.1'], ...trusted() });
  return connected(socket, 'secureConnect', late);
}

function connected<Connecting extends Socket>(
  socket: Connecting,
  event: 'connect' | 'secureConnect',
  late: AbortSignal,
): Promise<Connecting> {
  return new Promise((resolve, reject) => {
    late.addEventListener('abort', () => socket.destroy(new Error('late')), { once: true });
    socket.once('error', reject);
    socket.once(event, () => {
      socket.off('error', reject).on('error', () => {});
      resolve(socket);
    });
  });
}

function tunnel(proxy: ProxyServer, target: string, late: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const asking = openTunnel(proxy, target, (outcome) => {
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    });
    late.addEventListener('abort', () => asking.destroy(), { once: true });
  });
}

function clockOf(
  socket: Duplex,
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

function tlsOf(socket: Duplex): Probe['tls'] {
  if (!('getPeerCertificate' in socket)) return undefined;
  const secure = socket as TLSSocket;
  const validToMs = Date.parse(secure.getPeerCertificate().valid_to ?? '');
  return {
    protocol: secure.getProtocol() ?? 'TLS',
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

/** Asks a proxy for a tunnel to `target`. The proxy sees only the target's name and encrypted bytes. */
export function openTunnel(
  { secure, host, port, authorization }: ProxyServer,
  target: string,
  onEnd: (outcome: Socket | TroubleError) => void,
): ClientRequest {
  const request = (secure ? secureRequest : plainRequest)({
    method: 'CONNECT',
    host,
    port,
    path: target,
    headers: { host: target, ...(authorization && { 'proxy-authorization': authorization }) },
    agent: false,
    ...(secure && trusted()),
  });
  request.once('connect', ({ statusCode = 0 }, socket, first) => {
    if (statusCode < 200 || statusCode > 299) {
      socket.on('error', () => {}).destroy();
      const withUser = authorization !== undefined;
      return onEnd(new TroubleError({ is: 'no-tunnel', status: statusCode, withUser }));
    }
    if (first.length > 0) socket.unshift(first);
    onEnd(socket as Socket);
  });
  request.on('error', (error) => onEnd(new TroubleError({ ...troubleOf(error), atProxy: true })));
  request.end();
  return request;
}
