import type { Socket } from 'node:net';
import type { ProxyServer } from './proxy.ts';
import { TroubleError } from './trouble.ts';
import { nextTurn } from './turn.ts';

export type Destination = { readonly service: URL; readonly proxy: ProxyServer | undefined };

/** A way to the other side, before TLS. */
type Reaching = {
  readonly socket: Promise<Socket>;
  /** Its first packet is on its way, or never will be. */
  readonly begun: Promise<void>;
};

/**
 * A connection that stands: TCP, a proxy's tunnel where there is one, and TLS. Not a byte of a request is in it.
 * Nothing here ends by itself: aborting `over` lets go of all that is underway. `onGreeted` is called when all has
 * been said that can be said before the other side answers.
 */
export async function dial(
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

// node:net and node:tls are loaded by whoever connects only.
function reach(host: string, port: number, over: AbortSignal): Reaching {
  const { connect } = process.getBuiltinModule('node:net');
  const socket = connect({ host, port });
  const stands = standing(socket, 'connect', over);
  const named = new Promise<void>((resolve) => {
    // The first packet leaves right after it.
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
  const { openTunnel } = await import('./tunnel.ts');
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

/** Node 20 takes 19 ms to read the authorities that it trusts: while the first packet is on its way. */
async function secured(
  { socket: reaching, begun }: Reaching,
  host: string,
  over: AbortSignal,
  onGreeted: () => void,
): Promise<Socket> {
  reaching.catch(() => {});
  await begun;
  const { connect, createSecureContext } = process.getBuiltinModule('node:tls');
  const secureContext = createSecureContext();
  const socket = await reaching;
  // Without the dot that ends a whole name: servers in Go refuse it there.
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
    // It stays: an error may come at any time, and nobody else may be listening.
    socket.on('error', reject);
    socket.once(event, () => {
      over.removeEventListener('abort', letGo);
      resolve(socket);
    });
    if (over.aborted) letGo();
    else over.addEventListener('abort', letGo, { once: true });
  });
}
