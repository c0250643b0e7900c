import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Side } from './messages.ts';
import { type How, type Passage, startPassage } from './passage.ts';

/** The first whole message that contains this text, or the `nth`. It is not passed on. */
export type Moment = { readonly from: Side; readonly has: string; readonly nth?: number };

type Armed = Omit<Moment, 'nth'> & { readonly how: How; readonly done: () => void; left: number };

/** Stands between a client and a PostgreSQL server, and breaks connections on request. */
export type CuttableProxy = {
  readonly port: number;
  /** The same URL, through the proxy. */
  through(url: string): string;
  /** Does it to the first connection with that message; resolves when done. */
  when(moment: Moment, how: How): Promise<void>;
  /** Forgets all messages that it was waiting for. */
  disarm(): void;
  /** Does it now to all open connections. `hold` applies to later ones too. */
  now(how: How): void;
  /** Passes on what was held, and everything after it. */
  release(): void;
  /** Refuses new connections, as if no server were running. */
  refuse(): void;
  accept(): Promise<void>;
  close(): Promise<void>;
};

export async function startCuttableProxy(
  targetPort: number,
  /** `of` is the connection, by its client’s socket. */
  rewrite: (from: Side, message: Buffer, of: object) => Buffer = (_, message) => message,
): Promise<CuttableProxy> {
  const open = new Set<Passage>();
  const armed: Armed[] = [];
  let holding = false;
  const onConnection = (client: Socket): void => {
    const passage = startPassage(client, connect(targetPort, '127.0.0.1'), (from, message) => {
      const matching = armed.filter((one) => one.from === from && message.includes(one.has));
      for (const one of matching) one.left -= 1;
      const found = armed.findIndex(({ left }) => left <= 0);
      for (const { how, done } of found < 0 ? [] : armed.splice(found, 1)) {
        passage.break(how);
        done();
      }
      return rewrite(from, message, client);
    });
    open.add(passage);
    void passage.closed.then(() => open.delete(passage));
    if (holding) passage.break('hold');
  };
  const server = createServer(onConnection);
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  // Does not wait for `close`, which comes only after all connections have ended: the port is free at once.
  const refuse = (): void => void (server.listening && server.close());
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    through: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    when: ({ nth = 1, ...moment }, how) =>
      new Promise<void>((done) => armed.push({ ...moment, how, done, left: nth })),
    disarm: () => void armed.splice(0),
    now: (how) => {
      holding ||= how === 'hold';
      for (const passage of open) passage.break(how);
    },
    release: () => {
      holding = false;
      for (const passage of open) passage.release();
    },
    refuse,
    accept: () => listen(port),
    close: async () => {
      refuse();
      for (const passage of open) passage.break('cut');
      await Promise.all([...open].map(({ closed }) => closed));
    },
  };
}
