import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Gate = {
  /** The service's URL through this gate. */
  readonly baseUrl: string;
  /** Holds the next request or reply, whichever connection it belongs to. Resolves when it has arrived. */
  holdNext(side: 'request' | 'reply'): Promise<void>;
  /** Passes on everything that was held. */
  release(): void;
  close(): Promise<void>;
};

/** Stands in front of a service and holds one request or reply until told to release it. */
export async function startGate(serviceUrl: string): Promise<Gate> {
  const { port, hostname } = new URL(serviceUrl);
  const sockets = new Set<Socket>();
  const held: Socket[] = [];
  let holding: { side: 'request' | 'reply'; came: () => void } | undefined;

  const pass = (from: Socket, to: Socket, side: 'request' | 'reply'): void => {
    sockets.add(from);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.on('data', (bytes) => {
      if (holding?.side !== side) return void to.write(bytes);
      const { came } = holding;
      holding = undefined;
      from.pause();
      from.unshift(bytes);
      held.push(from);
      came();
    });
  };
  const server = createServer((client) => {
    const target = connect(Number(port), hostname);
    pass(client, target, 'request');
    pass(target, client, 'reply');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdNext: (side) =>
      new Promise((came) => {
        holding = { side, came };
      }),
    release: () => {
      for (const socket of held.splice(0)) socket.resume();
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
