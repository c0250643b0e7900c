import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { trusted } from '../../machine/authorities.ts';
import { nextTurn, readLeftovers } from '../../machine/process.ts';
import { failing } from '../failures.ts';
import { isLoopback } from '../intent/baseUrl.ts';
import { BadProxy, type ProxyServer, proxyFor } from './proxy.ts';
import { TroubleError } from './trouble.ts';

/** Why no connection to the service is attempted. */
export type WireFacts = {
  /** Certificates would not be checked (NODE_TLS_REJECT_UNAUTHORIZED). */
  'unchecked-certificates': Record<never, never>;
  /**
   * `scheme` is set only if it is a known one other than http or https. The rest of the text may contain a password.
   */
  'bad-proxy': { readonly scheme: string | undefined };
};

const codes = { 'unchecked-certificates': 'insecure-tls', 'bad-proxy': 'bad-proxy' } as const;

const wireFailure = failing<WireFacts>('wire', codes);

export type ConnectingSettings = {
  readonly origin: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True for the embedded sandbox, which is on this machine and needs no proxy. */
  readonly direct: boolean;
};

export type Connecting = {
  /**
   * Begins the first connection before anything may be sent on it. Resolves when only the other side can continue, or
   * the connection has failed, so that the caller can do slow work meanwhile.
   */
  begin(): Promise<void>;
  readonly connect: buildConnector.connector;
  /** Closes all connections that are being made or were not used. undici itself would wait for them. */
  abandon(): void;
};

// `begin` waits no longer than this: a slow connection leaves enough time for the other work anyway.
const longestGreetingMs = 100;

/** Makes a client's connections: direct, or through a proxy's tunnel. Refuses settings that would expose the token. */
export function connecting(settings: ConnectingSettings): Connecting {
  refuseBlindTls(settings);
  const destination: Destination = { service: new URL(settings.origin), proxy: usableProxy(settings) };
  const over = new AbortController();
  let early: EarlyConnection | undefined;

  const earlyOrFresh = async (): Promise<Socket> => {
    const begun = await early?.take();
    early = undefined;
    return begun ?? dial(destination, over.signal);
  };
  return {
    begin: () =>
      new Promise((resolve) => {
        const late = setTimeout(resolve, longestGreetingMs);
        const greeted = (): void => {
          clearTimeout(late);
          resolve();
        };
        const dialling = dial(destination, over.signal, greeted);
        dialling.catch(greeted);
        early = new EarlyConnection(dialling);
      }),
    connect: (_options, callback) => {
      earlyOrFresh().then(
        (socket) => {
          if (over.signal.aborted) {
            socket.destroy();
            return;
          }
          callback(null, socket);
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

function usableProxy(settings: ConnectingSettings): ProxyServer | undefined {
  try {
    return proxyOf(settings);
  } catch (error) {
    if (!(error instanceof BadProxy)) throw error;
    throw wireFailure('bad-proxy', { scheme: error.scheme });
  }
}

function proxyOf({ env, origin, direct }: ConnectingSettings): ProxyServer | undefined {
  const url = new URL(origin);
  // Requests to this machine use no proxy. Over plain HTTP a proxy would read the token.
  return direct || url.protocol !== 'https:' || isLoopback(url) ? undefined : proxyFor(url, env);
}

type Destination = { readonly service: URL; readonly proxy: ProxyServer | undefined };

/** A connection to the service or the proxy, before TLS. */
type Reaching = {
  readonly socket: Promise<Socket>;
  /** Resolves when the first packet has left or never will. */
  readonly begun: Promise<void>;
};

/**
 * An open connection: TCP, a proxy's tunnel if there is one, and TLS. No byte of a request has been sent on it. Nothing
 * here times out: aborting `over` closes all that is under way. `onGreeted` is called when this side has sent all that
 * it can before the other side answers.
 */
async function dial(
  { service, proxy }: Destination,
  over: AbortSignal,
  onGreeted: () => void = () => {},
): Promise<Socket> {
  const isSecure = service.protocol === 'https:';
  const host = service.hostname.replace(/^\[|\]$/gu, '');
  const port = Number(service.port) || (isSecure ? 443 : 80);
  const reaching =
    proxy === undefined
      ? reach(host, port, over)
      : { socket: tunnel(proxy, `${service.hostname}:${port}`, over), begun: nextTurn() };
  if (!isSecure) void reaching.begun.then(onGreeted);
  const socket = isSecure ? await secured(reaching, host, over, onGreeted) : await reaching.socket;
  return socket.setNoDelay(true).setKeepAlive(true, 60_000);
}

// Loads node:net only when a connection is made.
function reach(host: string, port: number, over: AbortSignal): Reaching {
  const { connect } = process.getBuiltinModule('node:net');
  const socket = connect({ host, port });
  const stands = standing(socket, 'connect', over);
  const named = new Promise<void>((resolve) => {
    // The first packet leaves right after the look-up.
    socket.once('lookup', () => resolve());
    const settled = (): void => resolve();
    stands.then(settled, settled);
  });
  return { socket: stands, begun: isAddress(host) ? nextTurn() : named };
}

// Node's own isIP() takes 3 ms the first time.
function isAddress(host: string): boolean {
  return /^[\d.]+$|:/u.test(host);
}

async function tunnel(proxy: ProxyServer, target: string, over: AbortSignal): Promise<Socket> {
  const { openTunnel } = await import('./probe.ts');
  if (over.aborted) throw new TroubleError({ is: 'given-up' });
  return new Promise((resolve, reject) => {
    const asking = openTunnel(proxy, target, (outcome) => {
      over.removeEventListener('abort', letGo);
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    });
    const letGo = (): void => void asking.destroy();
    over.addEventListener('abort', letGo, { once: true });
  });
}

/** Node 20 takes 19 ms to load its trusted authorities, so this happens while the first packet is on its way. */
async function secured(
  { socket: reaching, begun }: Reaching,
  host: string,
  over: AbortSignal,
  onGreeted: () => void,
): Promise<Socket> {
  reaching.catch(() => {});
  await begun;
  const { connect, createSecureContext } = process.getBuiltinModule('node:tls');
  const secureContext = createSecureContext(trusted());
  const socket = await reaching;
  // Without the trailing dot of a complete name: servers written in Go refuse it here.
  const servername = isAddress(host) ? '' : host.replace(/\.$/u, '');
  const ALPNProtocols = ['http/1.1'];
  const securing = connect({ socket, host, servername, secureContext, ALPNProtocols });
  onGreeted();
  return standing(securing, 'secureConnect', over);
}

function standing(socket: Socket, event: 'connect' | 'secureConnect', over: AbortSignal): Promise<Socket> {
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
  readonly #now: () => number;
  #endedAtMs = 0;
  #isSpoilt = false;
  readonly #spoil = (): void => {
    this.#isSpoilt = true;
  };

  constructor(dialling: Promise<Socket>, now: () => number = Date.now) {
    this.#now = now;
    this.#dialled = dialling.finally(() => {
      this.#endedAtMs = now();
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
    const idleMs = this.#now() - this.#endedAtMs;
    return idleMs < 0 || idleMs > longestIdleMs;
  }
}
