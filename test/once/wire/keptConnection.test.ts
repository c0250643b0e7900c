import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { poolChannels } from '../../../src/once/connection.ts';
import type { Channel } from '../../../src/once/wire/flight.ts';
import { openChannel } from '../../../src/once/wire/undiciChannel.ts';
import { closedAfterTest } from '../../support/closedAfterTest.ts';
import { limitsOf, reply, settingsFor, shipmentTo } from '../../support/flights.ts';
import { httpReply, startLoopback } from '../../support/loopback.ts';

const said = (text: string): Buffer => httpReply(JSON.stringify({ said: text }));

async function serve(onRequest: (socket: Socket, request: string, nth: number) => void) {
  const server = closedAfterTest(await startLoopback(onRequest));
  const origin = `http://127.0.0.1:${server.port}`;
  const channel = closedAfterTest(openChannel(settingsFor(origin, { keepAlive: true })));
  const ask = async (by: Channel = channel) => {
    const flight = reply(await by.fly(shipmentTo(origin), limitsOf()));
    return { ...flight, text: Buffer.from(flight.body).toString() };
  };
  return { talks: server.talks, ask, origin };
}

describe('a connection that is kept', () => {
  test('carries the next request, until it is dropped', async () => {
    const { talks, ask } = await serve((socket, _request, nth) => socket.write(said(`${nth}`)));
    (await ask()).socket?.keep();
    const second = await ask();
    expect(talks).toHaveLength(1);
    await second.socket?.drop();
    await ask();
    expect(talks).toHaveLength(2);
  });

  test('does not take for the next reply what came on it unasked', async () => {
    const { talks, ask } = await serve((socket, _request, nth) => socket.write(said(`${nth}`)));
    (await ask()).socket?.keep();
    // It lies ready, and nothing has read it, as the next request is about to leave.
    talks[0]?.socket.write(said('left over'));
    const second = await ask();
    expect(second.text).toBe('{"said":"2"}');
    expect(talks).toHaveLength(2);
  });

  test('nor what came in one piece with the reply before', async () => {
    const { ask } = await serve((socket, _request, nth) =>
      socket.write(nth === 1 ? Buffer.concat([said('1'), said('left over')]) : said(`${nth}`)),
    );
    const first = await ask();
    expect(first.text).toBe('{"said":"1"}');
    first.socket?.keep();
    expect((await ask()).text).toBe('{"said":"2"}');
  });

  test('carries no other request of a batch until its reply was judged', async () => {
    const { talks, origin, ask } = await serve((socket, _request, nth) => socket.write(said(`${nth}`)));
    const pool = poolChannels(() => openChannel(settingsFor(origin, { keepAlive: true })));
    closedAfterTest(pool);
    const first = await ask(pool);
    const second = await ask(pool);
    expect(talks).toHaveLength(2);
    first.socket?.keep();
    await second.socket?.drop();
    await Promise.all([ask(pool), ask(pool)]);
    expect(talks).toHaveLength(3);
  });
});
