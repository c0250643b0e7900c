import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A service that keeps every request's body and sends whatever reply it is given. */
export type Stub = {
  readonly url: string;
  /** The bodies of the requests that came since the last call. */
  taken(): string[];
  /** What every request is answered from now on; nothing ends the connection. */
  answer(raw: Answer): void;
  close(): Promise<void>;
};

/** A success that names what was done: something else each time. */
export const plainYes = 'a plain yes' as const;
type Answer = Buffer | typeof plainYes;

function yesNumber(nth: number): Buffer {
  const yes = JSON.stringify({
    message: { id: `msg_${nth}` },
    transfer_id: `tr_${nth}`,
    status: 'confirmed',
    signature: `s_${nth}`,
  });
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${yes.length}\r\n\r\n`;
  return Buffer.from(head + yes);
}

export async function startStub(): Promise<Stub> {
  let bodies: string[] = [];
  let reply: Answer = plainYes;
  let answered = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let body = bodyIn(received); body !== undefined; body = bodyIn(received)) {
        received = received.subarray(body.end);
        bodies.push(body.text);
        answered += 1;
        socket.write(reply === plainYes ? yesNumber(answered) : reply);
        if (reply !== plainYes) socket.end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: () => {
      const all = bodies;
      bodies = [];
      return all;
    },
    answer: (raw) => {
      reply = raw;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function bodyIn(bytes: Buffer): { text: string; end: number } | undefined {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = Number(/content-length: (\d+)/iu.exec(bytes.subarray(0, head).toString('latin1'))?.[1] ?? 0);
  const end = head + 4 + length;
  return bytes.length < end ? undefined : { text: bytes.subarray(head + 4, end).toString('utf8'), end };
}
