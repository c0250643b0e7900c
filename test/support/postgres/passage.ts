import type { Socket } from 'node:net';
import { Messages, type Side } from './messages.ts';

/**
 * `cut`: both sides see the connection break. `hold`: neither side sees anything, and nothing passes any more.
 * `strand`: the client sees a break; the server sees nothing, and gets the held bytes on release.
 */
export type How = 'cut' | 'hold' | 'strand';

/** A socket that has ended cannot be reset any more, and would never close. */
function reset(socket: Socket): void {
  if (socket.writable) socket.resetAndDestroy();
  else socket.destroy();
}

/** One client connection, and its connection to the server. */
export type Passage = {
  break(how: How): void;
  release(): void;
  readonly closed: Promise<unknown>;
};

/** Carries whole messages both ways. `look` sees each before it passes, and can change it or break the connection. */
export function startPassage(
  client: Socket,
  server: Socket,
  look: (from: Side, message: Buffer) => Buffer,
): Passage {
  const messages = new Messages();
  let held: (() => void)[] | undefined;
  const pass = (act: () => void): void => {
    if (held === undefined) act();
    else held.push(act);
  };
  const carry = (side: Side, from: Socket, to: Socket): void => {
    from.on('error', () => {});
    // Otherwise a message in parts would wait for the previous part's acknowledgement.
    from.setNoDelay(true);
    from.on('data', (chunk: Buffer) => {
      for (const message of messages.take(side, chunk)) {
        const seen = look(side, message);
        pass(() => void (to.writable && to.write(seen)));
      }
    });
    from.once('close', () => pass(() => to.end()));
  };
  carry('client', client, server);
  carry('server', server, client);
  return {
    closed: Promise.all([client, server].map((socket) => new Promise((done) => socket.once('close', done)))),
    break: (how) => {
      if (how === 'cut') held = undefined;
      else held ??= [];
      if (how !== 'hold') reset(client);
      if (how === 'cut') reset(server);
    },
    release: () => {
      const waiting = held ?? [];
      held = undefined;
      for (const act of waiting) act();
    },
  };
}
