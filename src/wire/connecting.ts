import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import connector from 'undici/lib/core/connect.js';
import { givenUp } from '../words/wire.ts';
import type { ProxyServer } from './proxy.ts';
import { WireTrouble } from './trouble.ts';

export type Connecting = {
  readonly connect: buildConnector.connector;
  /** Lets go of every connection that is still being made: undici itself would wait for them. */
  abandon(): void;
};

/** How a client gets its connections: straight, or through a proxy's tunnel. Nothing here ends by itself. */
export async function connecting(proxy: ProxyServer | undefined): Promise<Connecting> {
  // The flight's own timer is the one that ends an attempt.
  const straight = connector({ timeout: 0, allowH2: false });
  const tunnel = proxy && (await import('./tunnel.ts'));
  const underway = new Set<{ destroy(): unknown }>();
  let abandoned = false;

  const join: Join = (options, callback) => {
    const socket = straight(options, (...outcome) => {
      underway.delete(socket);
      keepParserSmall();
      callback(...outcome);
    });
    underway.add(socket);
  };
  return {
    connect: (options, callback) => {
      if (proxy === undefined || tunnel === undefined) return join(options, callback);
      const target = `${options.hostname}:${options.port || 443}`;
      const asking = tunnel.openTunnel(proxy, target, (outcome) => {
        underway.delete(asking);
        if (outcome instanceof Error) return callback(outcome, null);
        if (!abandoned) return join({ ...options, httpSocket: outcome }, callback);
        outcome.destroy();
        callback(new WireTrouble(givenUp), null);
      });
      underway.add(asking);
    },
    abandon: () => {
      abandoned = true;
      for (const one of underway) one.destroy();
      underway.clear();
    },
  };
}

type Join = (
  options: buildConnector.Options & { httpSocket?: Socket },
  callback: buildConnector.Callback,
) => void;

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
