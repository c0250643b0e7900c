import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { isLoopback } from '../intent/baseUrl.ts';
import { type Destination, dial } from './dial.ts';
import { EarlyConnection } from './earlyConnection.ts';
import { wireFailure } from './facts.ts';
import { BadProxy, type ProxyServer, proxyFor } from './proxy.ts';

export type ConnectingSettings = {
  readonly origin: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The embedded sandbox is on this machine: no proxy can help to reach it. */
  readonly direct: boolean;
};

export type Connecting = {
  /**
   * Begins the connection that is needed first, before anything may be sent on it. Resolves when it is the other
   * side’s turn, also where the connection has failed by then: what keeps the process busy can be done now.
   */
  begin(): Promise<void>;
  readonly connect: buildConnector.connector;
  /** Lets go of every connection that is still being made, or was made for nothing: undici itself would wait. */
  abandon(): void;
};

// A way that takes longer has time enough left for everything.
const longestGreetingMs = 100;

/** How a client gets its connections: straight, or through a proxy's tunnel; not where the token would be read by others. */
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
          keepParserSmall();
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
  // What is for this machine stays on it: over plain HTTP a proxy would read the token.
  return direct || url.protocol !== 'https:' || isLoopback(url) ? undefined : proxyFor(url, env);
}

let isParserSmall = false;

/**
 * Node 20 optimises undici's HTTP parser (WebAssembly) on other threads while the one reply is being read: 65 ms
 * of processor time and 35 MB that a short run never earns back. Later Nodes wait until it pays by themselves.
 * Said as late as can be, when the connection stands and the parser is about to load: a flag makes Node compile
 * anew what it loads of itself from then on, which takes it three times as long.
 */
function keepParserSmall(): void {
  if (isParserSmall || !process.versions.node.startsWith('20.')) return;
  isParserSmall = true;
  process.getBuiltinModule('node:v8').setFlagsFromString('--liftoff-only');
}
