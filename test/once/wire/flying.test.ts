import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Trouble } from '../../../src/once/wire/trouble.ts';
import { maxReplyBytes, openChannel } from '../../../src/once/wire/undiciChannel.ts';
import { closedAfterTest } from '../../support/closedAfterTest.ts';
import {
  flyTo,
  limitsOf,
  neverMs,
  noReply,
  path,
  reply,
  settingsFor,
  shipmentTo,
  token,
} from '../../support/flights.ts';
import { deadPort, httpReply, type Loopback, startLoopback } from '../../support/loopback.ts';

type OnRequest = (socket: Socket, request: string, nth: number) => void;

async function serve(onRequest: OnRequest): Promise<Loopback & { origin: string }> {
  const server = closedAfterTest(await startLoopback(onRequest));
  return { ...server, origin: `http://127.0.0.1:${server.port}` };
}

function channelTo(origin: string, keepAlive: boolean) {
  const channel = closedAfterTest(openChannel(settingsFor(origin, { keepAlive })));
  return channel;
}

describe('one request', () => {
  test('is POSTed with its body byte for byte and its token once', async () => {
    const body = Buffer.from(' {"content":"é😀\\u0000"}\r\n\r\n');
    const { origin, talks } = await serve((socket) => socket.end(httpReply('{}')));
    const channel = channelTo(origin, false);
    const whole = Buffer.concat([Buffer.from('##'), body, Buffer.from('##')]);
    // A view into a larger buffer: only the view travels.
    await channel.fly({ ...shipmentTo(origin), body: whole.subarray(2, -2) }, limitsOf());
    const sent = talks[0]?.received ?? Buffer.alloc(0);
    const [head = '', ...rest] = sent.toString('latin1').split('\r\n\r\n');
    expect(Buffer.from(rest.join('\r\n\r\n'), 'latin1').equals(body)).toBe(true);
    const [first, ...headers] = head.split('\r\n');
    expect(first).toBe(`POST ${path} HTTP/1.1`);
    expect(headers.map((line) => line.toLowerCase()).sort()).toEqual(
      [
        'accept: application/json',
        'accept-encoding: identity',
        `authorization: bot ${token}`,
        'connection: close',
        `content-length: ${body.length}`,
        'content-type: application/json',
        `host: 127.0.0.1:${new URL(origin).port}`,
        'user-agent: botctl/test',
      ].sort(),
    );
    expect(head).toContain(`Bot ${token}`);
  });

  test.each([false, true])(
    'leaves no byte where the door is shut (kept connection: %s)',
    async (keepAlive) => {
      const { origin, talks } = await serve((socket) => socket.write(httpReply('{}')));
      const channel = channelTo(origin, keepAlive);
      if (keepAlive) await channel.fly(shipmentTo(origin), limitsOf());
      const read = (): number => talks.reduce((sum, { received }) => sum + received.length, 0);
      const before = read();
      let asked = 0;
      const door = (): Trouble => {
        asked += 1;
        return { is: 'too-late' };
      };
      const flight = noReply(await channel.fly(shipmentTo(origin), limitsOf(5000, undefined, door)));
      expect(flight).toEqual({
        came: 'nothing',
        headersSent: false,
        trouble: { is: 'too-late' },
      });
      const ended = talks.at(-1)?.socket;
      if (ended?.readyState !== 'closed') await once(ended ?? new EventEmitter(), 'close');
      expect({ asked, talks: talks.length, more: read() - before }).toEqual({ asked: 1, talks: 1, more: 0 });
      // The channel is as good as new for what may leave.
      expect(reply(await channel.fly(shipmentTo(origin), limitsOf())).status).toBe(200);
    },
  );

  test('keeps the path of its base URL', async () => {
    const { origin, talks } = await serve((socket) => socket.end(httpReply('{}')));
    const url = `${origin}/tenant/a${path}`;
    await channelTo(origin, false).fly({ ...shipmentTo(origin), url }, limitsOf());
    expect(String(talks[0]?.received)).toContain(`POST /tenant/a${path} HTTP/1.1`);
  });

  test.each([301, 302, 303, 307, 308])('is not sent on where a %i points', async (status) => {
    const { origin, talks } = await serve((socket) =>
      socket.end(httpReply('', `HTTP/1.1 ${status} Moved`, [`location: ${origin}/elsewhere`])),
    );
    const flight = reply(await flyTo(origin));
    expect(flight.status).toBe(status);
    expect(flight.headers.location).toBe(`${origin}/elsewhere`);
    expect(talks).toHaveLength(1);
  });
});

describe('a reply that came whole', () => {
  test('in chunks, or until the connection ends, and headers given twice', async () => {
    const chunked =
      'HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
    const { origin } = await serve((socket, _request, nth) =>
      socket.end(nth === 1 ? chunked : 'HTTP/1.1 200 OK\r\n\r\n{}'),
    );
    const first = reply(await flyTo(origin));
    expect([first.ended, String(first.body), first.headers['x-a']]).toEqual(['whole', '{}', '1, 2']);
    const second = reply(await flyTo(origin));
    expect([second.ended, String(second.body)]).toEqual(['whole', '{}']);
  });

  test('after an informational one', async () => {
    const { origin } = await serve((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
      setTimeout(() => socket.end(httpReply('{"a":1}', 'HTTP/1.1 201 Created')), 10);
    });
    const flight = reply(await flyTo(origin));
    expect(flight).toMatchObject({ status: 201, ended: 'whole' });
    expect(flight.headers.link).toBeUndefined();
  });

  test('of exactly 1 MiB is whole; one byte more is too long, and no more than that is kept', async () => {
    const { origin } = await serve((socket, _request, nth) =>
      socket.end(httpReply(Buffer.alloc(maxReplyBytes + nth - 1, 'x'))),
    );
    const exact = reply(await flyTo(origin));
    expect([exact.ended, exact.body.length]).toEqual(['whole', maxReplyBytes]);
    const longer = reply(await flyTo(origin));
    expect([longer.ended, longer.body.length]).toEqual(['too-long', maxReplyBytes]);
  });
});

describe('headers went out, so it may have happened', () => {
  test.each<[string, OnRequest]>([
    ['the connection is reset', (socket) => socket.resetAndDestroy()],
    ['the connection is closed', (socket) => socket.destroy()],
    ['the reply is not HTTP', (socket) => socket.end('hello\r\n\r\n')],
    ['the reply is TLS', (socket) => socket.end(Buffer.from('1503030002022a', 'hex'))],
    ['the reply is half a status line', (socket) => socket.end('HTTP/1.1 20')],
    ['the reply’s headers break off', (socket) => socket.end('HTTP/1.1 200 OK\r\nx-a: 1\r\n')],
    [
      'the reply’s headers have no end',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nx-a: ${'x'.repeat(100_000)}`),
    ],
    [
      'two lengths are given',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'),
    ],
    ['the status is no number', (socket) => socket.end('HTTP/1.1 abc OK\r\n\r\n')],
    ['only an informational reply comes', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n')],
  ])('when %s', async (_what, onRequest) => {
    const { origin, talks } = await serve(onRequest);
    const flight = noReply(await flyTo(origin, { timeoutMs: 2000 }));
    expect(flight.headersSent).toBe(true);
    expect(talks).toHaveLength(1);
  });

  test('when the service changes the protocol', async () => {
    const { origin } = await serve((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    );
    expect(noReply(await flyTo(origin))).toMatchObject({ headersSent: true, upgraded: true });
  });

  test('when no reply comes in time', async () => {
    const { origin } = await serve(() => {});
    expect(await flyTo(origin, { timeoutMs: 100 })).toEqual({
      came: 'nothing',
      headersSent: true,
      trouble: { is: 'timed-out', afterMs: 100 },
    });
  });

  test('when it is interrupted', async () => {
    const cut = new AbortController();
    const { origin } = await serve(() => cut.abort());
    expect(await flyTo(origin, { cut: cut.signal })).toEqual({
      came: 'nothing',
      headersSent: true,
      trouble: { is: 'interrupted' },
    });
  });
});

describe('a reply that broke off keeps what came of it', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a"';

  test.each<[string, OnRequest]>([
    ['closed', (socket) => socket.end(head)],
    ['reset', (socket) => socket.write(head, () => setTimeout(() => socket.resetAndDestroy(), 20))],
    ['stalled', (socket) => socket.write(head)],
    [
      'a bad chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\nzz\r\n'),
    ],
  ])('%s', async (what, onRequest) => {
    const { origin } = await serve(onRequest);
    const flight = reply(await flyTo(origin, { timeoutMs: what === 'stalled' ? 300 : neverMs }));
    expect([flight.status, flight.ended, String(flight.body)]).toEqual([200, 'broken', '{"a"']);
  });

  test('a drip is ended by the one timeout over all of it', async () => {
    const { origin } = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    const flight = reply(await flyTo(origin, { timeoutMs: 200 }));
    expect(flight.ended).toBe('broken');
    expect(flight.body.length).toBeLessThan(100);
  });
});

describe('connections', () => {
  const ok: OnRequest = (socket) => socket.write(httpReply('{}'));

  test('a single command makes a fresh one for each attempt', async () => {
    const { origin, talks } = await serve(ok);
    const channel = channelTo(origin, false);
    for (let nth = 1; nth <= 3; nth += 1) {
      expect(reply(await channel.fly(shipmentTo(origin), limitsOf())).ended).toBe('whole');
    }
    expect(talks).toHaveLength(3);
  });

  test('a batch keeps its own', async () => {
    const { origin, talks } = await serve(ok);
    const channel = channelTo(origin, true);
    for (let nth = 1; nth <= 3; nth += 1) await channel.fly(shipmentTo(origin), limitsOf());
    expect(talks).toHaveLength(1);
  });

  test('a batch makes a new one after any trouble', async () => {
    const { origin, talks } = await serve((socket, request, nth) => {
      if (nth === 2) socket.destroy();
      else if (nth === 3) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}');
      else ok(socket, request, nth);
    });
    const channel = channelTo(origin, true);
    const came = [];
    for (let nth = 1; nth <= 4; nth += 1) {
      const flight = await channel.fly(shipmentTo(origin), limitsOf());
      came.push(flight.came === 'reply' ? flight.ended : flight.headersSent);
    }
    expect(came).toEqual(['whole', true, 'broken', 'whole']);
    expect(talks).toHaveLength(3);
  });

  test('none is left open when the channel is closed', async () => {
    const { origin, talks } = await serve(ok);
    const channel = channelTo(origin, true);
    await channel.fly(shipmentTo(origin), limitsOf());
    const [talk] = talks;
    await channel.close();
    if (talk && !talk.socket.destroyed) await once(talk.socket, 'close');
    expect(talk?.socket.destroyed).toBe(true);
  });

  test('a closed channel flies again, over a new one', async () => {
    const { origin, talks } = await serve(ok);
    const channel = channelTo(origin, true);
    await channel.fly(shipmentTo(origin), limitsOf());
    await channel.close();
    await channel.close();
    expect(reply(await channel.fly(shipmentTo(origin), limitsOf())).ended).toBe('whole');
    expect(talks).toHaveLength(2);
  });

  test('a channel that is closed in flight ends the flight, and says what is true of it', async () => {
    const { origin } = await serve(() => void channel.close());
    const channel = channelTo(origin, true);
    expect(noReply(await channel.fly(shipmentTo(origin), limitsOf())).headersSent).toBe(true);
  });

  test('a channel that is closed before the flight has begun lets nothing go unanswered', async () => {
    const { origin } = await serve(ok);
    const channel = channelTo(origin, true);
    const flying = channel.fly(shipmentTo(origin), limitsOf(500));
    const closing = channel.close();
    const flight = await flying;
    await closing;
    if (flight.came === 'nothing') expect(flight.headersSent).toBe(false);
  });
});

describe('several channels at once', () => {
  test('each knows its own phase', async () => {
    const stalled = Array.from({ length: 10 }, () => new AbortController());
    let stalls = 0;
    const silent = await serve(() => {
      stalls += 1;
      if (stalls === stalled.length) for (const cut of stalled) cut.abort();
    });
    const answering = await serve((socket) => setTimeout(() => socket.end(httpReply('{}')), 30));
    const dead = `http://127.0.0.1:${await deadPort()}`;
    const flights = await Promise.all(
      stalled.flatMap(({ signal: cut }) => [
        flyTo(silent.origin, { cut, timeoutMs: neverMs }),
        flyTo(dead, { timeoutMs: neverMs }),
        flyTo(answering.origin, { timeoutMs: neverMs }),
      ]),
    );
    const shown = flights.map((flight) => (flight.came === 'reply' ? flight.status : flight.headersSent));
    expect(shown).toEqual(stalled.flatMap(() => [true, false, 200]));
  });

  test('a request of somebody else’s in between changes nothing', async () => {
    const other = await serve((socket) => socket.end(httpReply('{}')));
    const dead = `http://127.0.0.1:${await deadPort()}`;
    const [flight] = await Promise.all([
      flyTo(dead),
      fetch(other.origin, { method: 'POST', body: 'x' }).then((response) => response.text()),
    ]);
    expect(noReply(flight).headersSent).toBe(false);
  });
});

describe('no flight ever throws', () => {
  test.each([
    ['a token that no header can hold', { token: { reveal: () => 'a\r\nb' } }],
    [
      'a token that cannot be revealed',
      {
        token: {
          reveal: () => {
            throw new Error('no');
          },
        },
      },
    ],
    ['a URL that is none', { url: 'nonsense' }],
  ])('with %s nothing goes out', async (_what, change) => {
    const { origin, talks } = await serve((socket) => socket.end(httpReply('{}')));
    const flight = await channelTo(origin, false).fly({ ...shipmentTo(origin), ...change }, limitsOf());
    expect(noReply(flight).headersSent).toBe(false);
    expect(talks.map(({ received }) => String(received)).join('')).toBe('');
  });

  test('a timeout longer than any timer is no timeout at once', async () => {
    const { origin } = await serve((socket) => setTimeout(() => socket.end(httpReply('{}')), 30));
    expect(reply(await flyTo(origin, { timeoutMs: 1000 * 3_600_000 })).status).toBe(200);
    expect(reply(await flyTo(origin, { timeoutMs: Number.MAX_SAFE_INTEGER })).status).toBe(200);
  });

  test('a token is never sent to another origin than the channel’s', async () => {
    const asked = await serve((socket) => socket.end(httpReply('{}')));
    const other = await serve((socket) => socket.end(httpReply('{}')));
    const flight = await channelTo(asked.origin, false).fly(shipmentTo(other.origin), limitsOf());
    expect(noReply(flight).headersSent).toBe(false);
    expect([...asked.talks, ...other.talks]).toHaveLength(0);
  });
});
