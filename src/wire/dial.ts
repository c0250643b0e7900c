import type { Socket } from 'node:net';
import { givenUp } from '../words/wire.ts';
import type { ProxyServer } from './proxy.ts';
import { WireTrouble } from './trouble.ts';
import { nextTurn } from './turn.ts';

export type Destination = { readonly service: URL; readonly proxy: ProxyServer | undefined };

/**
 * A connection that stands: TCP, a proxy's tunnel where there is one, and TLS. Not a byte of a request is in it.
 * Nothing here ends by itself: aborting `over` lets go of all that is underway.
 */
export async function dial({ service, proxy }: Destination, over: AbortSignal): Promise<Socket> {
  const isSecure = service.protocol === 'https:';
  const host = service.hostname.replace(/^\[|\]$/gu, '');
  const port = Number(service.port) || (isSecure ? 443 : 80);
  const reaching =
    proxy === undefined ? reach(host, port, over) : tunnel(proxy, `${service.hostname}:${port}`, over);
  const socket = isSecure ? await secured(reaching, host, over) : await reaching;
  return socket.setNoDelay(true).setKeepAlive(true, 60_000);
}

// node:net and node:tls are loaded by whoever connects only.
function reach(host: string, port: number, over: AbortSignal): Promise<Socket> {
  const { connect } = process.getBuiltinModule('node:net');
  return standing(connect({ host, port }), 'connect', over);
}

async function tunnel(proxy: ProxyServer, target: string, over: AbortSignal): Promise<Socket> {
  const { openTunnel } = await import('./tunnel.ts');
  if (over.aborted) throw new WireTrouble(givenUp);
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
async function secured(reaching: Promise<Socket>, host: string, over: AbortSignal): Promise<Socket> {
  reaching.catch(() => {});
  await nextTurn();
  const { connect, createSecureContext } = process.getBuiltinModule('node:tls');
  const secureContext = createSecureContext();
  const socket = await reaching;
  const servername = /^[\d.]+$|:/u.test(host) ? '' : host;
  const ALPNProtocols = ['http/1.1'];
  return standing(connect({ socket, host, servername, secureContext, ALPNProtocols }), 'secureConnect', over);
}

function standing(socket: Socket, event: 'connect' | 'secureConnect', over: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const letGo = (): void => {
      socket.destroy();
      reject(new WireTrouble(givenUp));
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
