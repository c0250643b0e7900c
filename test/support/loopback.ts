import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** What one connection has sent so far. */
type Talk = { readonly socket: Socket; received: Buffer };

export type Loopback = {
  readonly port: number;
  /** Every connection ever made, in order. */
  readonly talks: readonly Talk[];
  close(): Promise<void>;
};

/** A raw TCP server on this machine. `onRequest` is called when a whole request has arrived. */
export async function startLoopback(
  onRequest: (socket: Socket, request: string, nth: number) => void,
  tls?: TlsOptions,
  port = 0,
): Promise<Loopback> {
  const talks: Talk[] = [];
  let requests = 0;
  const onConnection = (socket: Socket): void => {
    const talk: Talk = { socket, received: Buffer.alloc(0) };
    talks.push(talk);
    let read = 0;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      talk.received = Buffer.concat([talk.received, chunk]);
      const length = wholeRequest(talk.received.subarray(read));
      if (length === undefined) return;
      const request = talk.received.subarray(read, read + length).toString('latin1');
      read += length;
      requests += 1;
      onRequest(socket, request, requests);
    });
  };
  const server: Server = tls === undefined ? createServer(onConnection) : createTlsServer(tls, onConnection);
  server.on('tlsClientError', () => {});
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    talks,
    close: async () => {
      for (const { socket } of talks) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function wholeRequest(bytes: Buffer): number | undefined {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = /content-length: (\d+)/iu.exec(bytes.subarray(0, head).toString('latin1'))?.[1] ?? '0';
  const whole = head + 4 + Number(length);
  return bytes.length < whole ? undefined : whole;
}

export function httpReply(body: string | Buffer, head = 'HTTP/1.1 200 OK', headers: string[] = []): Buffer {
  const bytes = Buffer.from(body as string);
  const lines = [head, 'content-type: application/json', `content-length: ${bytes.length}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

/** A port of this machine on which nothing listens. */
export async function deadPort(): Promise<number> {
  const { port, close } = await startLoopback(() => {});
  await close();
  return port;
}
