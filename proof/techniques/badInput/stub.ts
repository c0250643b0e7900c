import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A service that keeps every request's body and sends whatever reply it is given. */
export type Stub = {
  readonly url: string;
  /** The bodies of the requests that came since the last call. */
  taken(): string[];
  /** What every request is answered from now on; else a success that names something else each time. */
  answer(raw: Buffer | undefined): void;
  close(): Promise<void>;
};

export async function startStub(): Promise<Stub> {
  const bodies: string[] = [];
  let reply: Buffer | undefined;
  let nth = 0;
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    nth += 1;
    if (reply !== undefined) {
      request.socket.end(reply);
      return;
    }
    const message = { id: `msg_${nth}` };
    const done = { message, transfer_id: `tr_${nth}`, status: 'confirmed', signature: `s_${nth}` };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(done));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: () => bodies.splice(0),
    answer: (raw) => {
      reply = raw;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
