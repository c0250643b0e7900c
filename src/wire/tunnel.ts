import { type ClientRequest, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { ProxyServer } from './proxy.ts';
import { TroubleError, troubleOf } from './trouble.ts';

/**
 * Asks a proxy for a tunnel to `target`. Nothing of the request itself goes to the proxy: what it sees are
 * the target's name and the tunnel's encrypted bytes.
 */
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
