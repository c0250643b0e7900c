import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import { trusted } from '../../machine/authorities.ts';
import { readLeftovers } from '../../machine/process.ts';
import { isLoopback } from '../entry/baseUrl.ts';
import { wireFailure } from './failures.ts';
import { type ProxyServer, proxyFor } from './proxy.ts';
import { TroubleError, troubleOf } from './trouble.ts';

export type ConnectingSettings = {
  readonly origin: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type Connecting = {
  /** Begins the first connection before anything may be sent on it. */
  begin(): void;
  readonly connect: buildConnector.connector;
  /** Closes all connections that are being made or were not used. undici itself would wait for them. */
  abandon(): void;
};

/** Makes a client's connections: direct, or through a proxy's tunnel. Refuses settings that would expose the token. */
export function connecting(settings: ConnectingSettings): Connecting {
  refuseBlindTls(settings);
  const service = new URL(settings.origin);
  const proxy = proxyOf(settings);
  const over = new AbortController();
  let early: EarlyConnection | undefined;

  const earlyOrFresh = async (): Promise<Socket> => {
    const begun = await early?.take();
    early = undefined;
    return begun ?? dial(service, proxy, over.signal);
  };
  return {
    begin: () => {
      early = new EarlyConnection(dial(service, proxy, over.signal));
    },
    connect: (_options, callback) => {
      earlyOrFresh().then(
        (socket) => {
          if (over.signal.aborted) socket.destroy();
          else callback(null, socket);
        },
        (error: Error) => {
          if (!over.signal.aborted) callback(error, null);
        },
      );
    },
    abandon: () => {
      over.abort();
      early?.letGo();
    },
  };
}

function refuseBlindTls({ env, origin }: ConnectingSettings): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0' || isLoopback(new URL(origin))) return;
  throw wireFailure('unchecked-certificates', {});
}

function proxyOf({ env, origin }: ConnectingSettings): ProxyServer | undefined {
  const url = new URL(origin);
  // Requests to this machine use no proxy. Over plain HTTP a proxy would read the token.
  return url.protocol !== 'https:' || isLoopback(url) ? undefined : proxyFor(url, env);
}

/**
 * An open connection: TCP, a proxy's tunnel if there is one, and TLS. No byte of a request has been sent on it. Nothing
 * here times out: aborting `over` closes all that is under way.
 */
async function dial(
  service: URL,
  proxy: ProxyServer | undefined,
  over: AbortSignal,
): Promise<Socket | TLSSocket> {
  const { connect: connectTcp } = process.getBuiltinModule('node:net');
  const isSecure = service.protocol === 'https:';
  const host = service.hostname.replace(/^\[|\]$/gu, '');
  const port = Number(service.port) || (isSecure ? 443 : 80);
  const below =
    proxy === undefined
      ? await whenConnected(connectTcp({ host, port }), 'connect', over)
      : await tunnel(proxy, `${service.hostname}:${port}`, over);
  const socket = isSecure ? await secured(below, host, over) : below;
  return socket.setNoDelay(true).setKeepAlive(true, 60_000);
}

/** Asks a proxy for a tunnel to `target`. The proxy sees only the target's name and encrypted bytes. */
function tunnel(
  { secure, host, port, authorization }: ProxyServer,
  target: string,
  over: AbortSignal,
): Promise<Socket> {
  const { request } = process.getBuiltinModule(secure ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const asking = request({
      method: 'CONNECT',
      host,
      port,
      path: target,
      headers: { host: target, ...(authorization && { 'proxy-authorization': authorization }) },
      agent: false,
      signal: over,
      ...(secure && trusted()),
    });
    asking.once('connect', ({ statusCode = 0 }, socket, first) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.on('error', () => {}).destroy();
        reject(new TroubleError({ is: 'no-tunnel', status: statusCode }));
        return;
      }
      if (first.length > 0) socket.unshift(first);
      resolve(socket as Socket);
    });
    asking.on('error', (error) => reject(new TroubleError({ ...troubleOf(error), atProxy: true })));
    asking.end();
  });
}

function secured(socket: Socket, host: string, over: AbortSignal): Promise<TLSSocket> {
  const { connect } = process.getBuiltinModule('node:tls');
  // An IP address is not a server name. The last dot of a complete name is dropped: servers in Go refuse it here.
  const servername = /^[\d.]+$|:/u.test(host) ? '' : host.replace(/\.$/u, '');
  const securing = connect({ socket, host, servername, ALPNProtocols: ['http/1.1'], ...trusted() });
  return whenConnected(securing, 'secureConnect', over);
}

function whenConnected<Connected extends Socket>(
  socket: Connected,
  event: 'connect' | 'secureConnect',
  over: AbortSignal,
): Promise<Connected> {
  return new Promise((resolve, reject) => {
    const letGo = (): void => {
      socket.destroy();
      reject(new TroubleError({ is: 'given-up' }));
    };
    // This listener stays: an error may come at any time, and there may be no other listener.
    socket.on('error', reject);
    socket.once(event, () => {
      over.removeEventListener('abort', letGo);
      resolve(socket);
    });
    if (over.aborted) letGo();
    else over.addEventListener('abort', letGo, { once: true });
  });
}

const longestIdleMs = 5000;

/** A connection that is opened while the claim commits, before anything may be sent. */
class EarlyConnection {
  readonly #dialled: Promise<Socket>;
  #endedAtMs = 0;
  #isSpoilt = false;
  readonly #spoil = (): void => {
    this.#isSpoilt = true;
  };

  constructor(dialling: Promise<Socket>) {
    this.#dialled = dialling.finally(() => {
      this.#endedAtMs = Date.now();
    });
    this.#dialled.then(
      (socket) => {
        // Unexpected bytes, or the other side has closed the connection.
        for (const event of ['readable', 'end', 'close']) socket.on(event, this.#spoil);
      },
      () => {},
    );
  }

  /** The connection, or its error. Undefined if it is too old or no longer usable: then the caller opens a new one. */
  async take(): Promise<Socket | undefined> {
    let socket: Socket;
    try {
      socket = await this.#dialled;
    } catch (error) {
      if (this.#isLongAgo()) return undefined;
      throw error;
    }
    await readLeftovers();
    if (this.#isSpoilt || this.#isLongAgo()) {
      socket.destroy();
      return undefined;
    }
    for (const event of ['readable', 'end', 'close']) socket.off(event, this.#spoil);
    return socket;
  }

  /** Closes the connection if nothing will be sent. */
  letGo(): void {
    this.#dialled.then(
      (socket) => socket.destroy(),
      () => {},
    );
  }

  /** Uses the wall clock, because the machine may have slept meanwhile. */
  #isLongAgo(): boolean {
    const idleMs = Date.now() - this.#endedAtMs;
    return idleMs < 0 || idleMs > longestIdleMs;
  }
}
