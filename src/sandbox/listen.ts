import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

type Listener = { port: number; stop(): Promise<void> };

const closingGraceMs = 5_000;

const pairTries = 8;

/** Takes the steady port where any would do and it is free; else the one that is asked for. */
export async function listenSteadily(
  server: Server,
  beside: Server | undefined,
  { port, steadyPort = 0 }: { port: number; steadyPort?: number },
): Promise<Listener> {
  if (port !== 0 || steadyPort === 0) return listenTogether(server, beside, port);
  try {
    return await listenTogether(server, beside, steadyPort);
  } catch {
    return listenTogether(server, beside, port);
  }
}

/** A server, and another one at the port after it where that one is free. */
async function listenTogether(server: Server, beside: Server | undefined, port: number): Promise<Listener> {
  for (let tries = 1; ; tries += 1) {
    const own = await listen(server, port);
    if (beside === undefined) return own;
    const other = await listen(beside, own.port + 1).catch(() => undefined);
    if (other !== undefined)
      return { port: own.port, stop: async () => void (await Promise.all([own.stop(), other.stop()])) };
    // A port that was asked for is kept; of any others there may be two.
    if (port !== 0 || tries === pairTries) return own;
    await own.stop();
  }
}

/** Loopback only: whoever is not on this machine cannot even connect. */
async function listen(server: Server, port: number): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { port: (server.address() as AddressInfo).port, stop: () => stop(server, sockets) };
}

/** What is in flight lands; a client that says nothing, or never ends, is left after a while. */
function stop(server: Server, sockets: Set<Socket>): Promise<void> {
  return new Promise((resolve) => {
    // Not closeAllConnections: it forgets those that left HTTP.
    const grace = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, closingGraceMs);
    server.close(() => {
      clearTimeout(grace);
      resolve();
    });
    server.closeIdleConnections();
  });
}
