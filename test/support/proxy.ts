import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export type LoopbackProxy = {
  readonly port: number;
  /** Every CONNECT as received. */
  readonly connects: IncomingMessage[];
  /** Every other request. */
  readonly plain: IncomingMessage[];
  /** What passed through to the other side. */
  readonly passed: Buffer[];
  close(): Promise<void>;
};

/** A proxy on this machine. Every tunnel leads to `targetPort`, whatever host is requested. */
export async function startProxy(
  targetPort: number,
  answer: (socket: Socket) => boolean = () => true,
): Promise<LoopbackProxy> {
  const connects: IncomingMessage[] = [];
  const plain: IncomingMessage[] = [];
  const passed: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    plain.push(request);
    response.end('{}');
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    connects.push(request);
    socket.on('error', () => {});
    if (!answer(socket)) return;
    const target = connect(targetPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.on('data', (chunk: Buffer) => passed.push(chunk));
      socket.pipe(target).pipe(socket);
    });
    sockets.add(target);
    target.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connects,
    plain,
    passed,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
