import type { Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { connecting } from '../../../src/once/wire/connecting.ts';
import type { Channel } from '../../../src/once/wire/flight.ts';
import { openChannel } from '../../../src/once/wire/undiciChannel.ts';
import { type Certificates, makeCertificates, trust } from '../../support/certificates.ts';
import { closedAfterTest } from '../../support/closedAfterTest.ts';
import { limitsOf, noReply, reply, settingsFor, shipmentTo } from '../../support/flights.ts';
import { deadPort, httpReply, type Loopback, startLoopback } from '../../support/loopback.ts';
import { startProxy } from '../../support/proxy.ts';

const certificates: Certificates | undefined = makeCertificates();
const ok = (socket: Socket): void => void socket.end(httpReply('{"a":1}'));

/** A channel whose first connection is begun, and stands on the server. */
async function begun(origin: string, service: Loopback, env: Record<string, string> = {}): Promise<Channel> {
  const channel = beginTo(origin, env);
  await expect.poll(() => service.talks.length).toBeGreaterThan(0);
  await turns();
  return channel;
}

function beginTo(origin: string, env: Record<string, string> = {}): Channel {
  const settings = settingsFor(origin, { env });
  const first = connecting(settings);
  first.begin();
  return closedAfterTest(openChannel(settings, first));
}

/** What the other socket of this process has done is seen by now. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a connection that is begun early', () => {
  test('carries not a byte until the flight, and then the request of the flight', async () => {
    const service = closedAfterTest(await startLoopback(ok));
    const origin = `http://127.0.0.1:${service.port}`;
    const channel = await begun(origin, service);
    expect(service.talks.map(({ received }) => received.length)).toEqual([0]);
    expect(reply(await channel.fly(shipmentTo(origin), limitsOf())).status).toBe(200);
    expect(service.talks).toHaveLength(1);
    expect(String(service.talks[0]?.received)).toMatch(/^POST /u);
  });

  test('is found by name, too', async () => {
    const service = closedAfterTest(await startLoopback(ok));
    const origin = `http://localhost:${service.port}`;
    const channel = await begun(origin, service);
    expect(reply(await channel.fly(shipmentTo(origin), limitsOf())).status).toBe(200);
    expect(service.talks).toHaveLength(1);
  });

  test('is asked at the door like any other, and nothing leaves where it is shut', async () => {
    const service = closedAfterTest(await startLoopback(ok));
    const origin = `http://127.0.0.1:${service.port}`;
    const channel = await begun(origin, service);
    const flight = await channel.fly(
      shipmentTo(origin),
      limitsOf(5000, undefined, () => ({ is: 'too-late' })),
    );
    expect(noReply(flight)).toMatchObject({ headersSent: false });
    expect(service.talks.map(({ received }) => received.length)).toEqual([0]);
  });

  test('is replaced where the other side spoke first: that is no reply to what is sent now', async () => {
    const service = closedAfterTest(await startLoopback(ok));
    const origin = `http://127.0.0.1:${service.port}`;
    const channel = await begun(origin, service);
    service.talks[0]?.socket.write(httpReply('{"message":{"message_id":"foreign"}}'));
    await turns();
    const flight = reply(await channel.fly(shipmentTo(origin), limitsOf()));
    expect(String(flight.body)).toBe('{"a":1}');
    expect(service.talks.map(({ received }) => received.length > 0)).toEqual([false, true]);
  });

  test.each([
    ['closed', (socket: Socket) => void socket.end()],
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
  ])('is replaced where the other side has %s it', async (_how, leave) => {
    const service = closedAfterTest(await startLoopback(ok));
    const origin = `http://127.0.0.1:${service.port}`;
    const channel = await begun(origin, service);
    leave(service.talks[0]?.socket as Socket);
    await turns();
    expect(reply(await channel.fly(shipmentTo(origin), limitsOf())).status).toBe(200);
    expect(service.talks.map(({ received }) => received.length > 0)).toEqual([false, true]);
  });

  test.each([
    ['after four seconds is still good', 4000, [true]],
    ['that was idle for six seconds is replaced', 6000, [false, true]],
    ['is replaced where the clock went back', -1000, [false, true]],
  ])('%s', async (_what, laterMs, wrote) => {
    const service = closedAfterTest(await startLoopback(ok));
    const origin = `http://127.0.0.1:${service.port}`;
    vi.useFakeTimers({ toFake: ['Date'] });
    const channel = await begun(origin, service);
    vi.setSystemTime(Date.now() + laterMs);
    expect(reply(await channel.fly(shipmentTo(origin), limitsOf())).status).toBe(200);
    expect(service.talks.map(({ received }) => received.length > 0)).toEqual(wrote);
  });

  test('that fails is how the flight fails; long ago, it is tried again', async () => {
    const origin = `http://127.0.0.1:${await deadPort()}`;
    const refused = {
      came: 'nothing',
      headersSent: false,
      trouble: expect.objectContaining({ code: 'ECONNREFUSED' }),
    };
    expect(await beginTo(origin).fly(shipmentTo(origin), limitsOf())).toEqual(refused);
    vi.useFakeTimers({ toFake: ['Date'] });
    const channel = beginTo(origin);
    await turns();
    const service = closedAfterTest(await startLoopback(ok, undefined, Number(new URL(origin).port)));
    vi.setSystemTime(Date.now() + 6000);
    expect(reply(await channel.fly(shipmentTo(origin), limitsOf())).status).toBe(200);
    expect(service.talks).toHaveLength(1);
  });

  test('is let go where nothing is sent after all', async () => {
    const service = closedAfterTest(await startLoopback(ok));
    const channel = await begun(`http://127.0.0.1:${service.port}`, service);
    await channel.close();
    await expect.poll(() => service.talks[0]?.socket.destroyed).toBe(true);
    expect(service.talks.map(({ received }) => received.length)).toEqual([0]);
  });

  test('is let go where it does not stand yet', async () => {
    const service = closedAfterTest(await startLoopback(ok));
    const channel = beginTo(`https://127.0.0.1:${service.port}`);
    await expect.poll(() => service.talks.length).toBeGreaterThan(0);
    await channel.close();
    await expect.poll(() => service.talks[0]?.socket.destroyed).toBe(true);
  });
});

describe.skipIf(certificates === undefined)('over TLS (skipped where there is no openssl)', () => {
  let made: Certificates;
  beforeAll(() => {
    if (certificates === undefined) throw new Error('no certificates');
    made = certificates;
    return trust(made.authority);
  });

  test('the handshake is over before the flight, and not a byte of the request is in it', async () => {
    const service = closedAfterTest(await startLoopback(ok, made.good));
    const origin = `https://localhost:${service.port}`;
    const channel = await begun(origin, service);
    expect(service.talks.map(({ received }) => received.length)).toEqual([0]);
    expect(reply(await channel.fly(shipmentTo(origin), limitsOf())).status).toBe(200);
    expect(service.talks).toHaveLength(1);
  });

  test('a proxy’s tunnel is begun early, too', async () => {
    const service = closedAfterTest(await startLoopback(ok, made.good));
    const proxy = closedAfterTest(await startProxy(service.port));
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const channel = await begun('https://bots.test', service, env);
    expect(service.talks.map(({ received }) => received.length)).toEqual([0]);
    expect(reply(await channel.fly(shipmentTo('https://bots.test'), limitsOf())).status).toBe(200);
    expect(proxy.connects).toHaveLength(1);
  });
});
