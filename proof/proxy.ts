import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, Server as TlsServer } from 'node:tls';

export type Cut = {
  /** Which bytes are counted. */
  readonly in: 'request' | 'reply';
  /** So many of them pass, then it happens. */
  readonly after: number;
  /** An end as if all were well, an RST, silence with the connection open, or one byte every few milliseconds. */
  readonly how: 'end' | 'reset' | 'silence' | 'drip';
};

/** Stands between botctl and the service, and breaks the next connection as told. */
export type CuttingProxy = {
  readonly url: string;
  next(cut: Cut): void;
  /** Shows another certificate from now on. */
  recertify(certificate: TlsOptions): void;
  /** How many bytes went each way over the last connection. */
  readonly last: { request: number; reply: number };
  close(): Promise<void>;
};

const dripMs = 2;

export async function startProxy(targetUrl: string, tls?: TlsOptions): Promise<CuttingProxy> {
  const { hostname, port } = new URL(targetUrl);
  const waiting: Cut[] = [];
  const sockets = new Set<Socket>();
  const last = { request: 0, reply: 0 };
  const onConnection = (client: Socket): void => {
    const target = connect(Number(port), hostname);
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
    }
    last.request = 0;
    last.reply = 0;
    const cut = waiting.shift();
    const end = endOf(client, target, cut?.how);
    pass(client, target, cut?.in === 'request' ? cut : undefined, end, (count) => {
      last.request += count;
    });
    pass(target, client, cut?.in === 'reply' ? cut : undefined, end, (count) => {
      last.reply += count;
    });
    if (cut?.after === 0) end();
  };
  const server: Server = tls === undefined ? createServer(onConnection) : createTlsServer(tls, onConnection);
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  return {
    url: tls === undefined ? `http://127.0.0.1:${own}` : `https://localhost:${own}`,
    next: (cut) => {
      // One that met no connection is of a play before.
      waiting.splice(0, waiting.length, cut);
    },
    last,
    recertify: (certificate) => {
      if (server instanceof TlsServer) server.setSecureContext(certificate);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function endOf(client: Socket, target: Socket, how: Cut['how'] | undefined): () => void {
  return () => {
    if (how === 'silence' || how === 'drip') return;
    if (how === 'reset' && typeof client.resetAndDestroy === 'function') client.resetAndDestroy();
    else client.end();
    target.destroy();
  };
}

/** Passes on bytes from one side, up to the cut. */
function pass(
  from: Socket,
  to: Socket,
  cut: Cut | undefined,
  end: () => void,
  note: (count: number) => void,
): void {
  let passed = 0;
  from.on('data', (chunk: Buffer) => {
    const room = cut === undefined || cut.how === 'drip' ? chunk.length : Math.max(0, cut.after - passed);
    const kept = chunk.subarray(0, room);
    passed += kept.length;
    note(kept.length);
    if (cut?.how === 'drip') drip(kept, to);
    else if (kept.length > 0) to.write(kept);
    if (cut !== undefined && cut.how !== 'drip' && passed >= cut.after) end();
  });
  from.once('end', () => {
    if (cut === undefined) to.end();
  });
}

function drip(bytes: Buffer, to: Socket): void {
  to.setNoDelay(true);
  let at = 0;
  const timer = setInterval(() => {
    if (at < bytes.length && !to.destroyed) to.write(bytes.subarray(at, at + 1));
    else clearInterval(timer);
    at += 1;
  }, dripMs);
}
