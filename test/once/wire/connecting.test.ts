import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { openChannel } from '../../../src/once/wire/undiciChannel.ts';
import { type Certificates, makeCertificates, trust } from '../../support/certificates.ts';
import { closedAfterTest } from '../../support/closedAfterTest.ts';
import { flyTo, limitsOf, noReply, reply, settingsFor, shipmentTo } from '../../support/flights.ts';
import { deadPort, httpReply, type Loopback, startLoopback } from '../../support/loopback.ts';

async function server(...how: Parameters<typeof startLoopback>): Promise<Loopback> {
  const started = closedAfterTest(await startLoopback(...how));
  return started;
}

describe('nothing went out, so nothing happened', () => {
  test('when the connection is refused', async () => {
    const origin = `http://127.0.0.1:${await deadPort()}`;
    expect(await flyTo(origin)).toEqual({
      came: 'nothing',
      headersSent: false,
      trouble: { is: 'connection', code: 'ECONNREFUSED', text: expect.stringContaining('ECONNREFUSED') },
    });
  });

  test('when https is spoken to a service that does not', async () => {
    const plain = createServer((socket) =>
      socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    );
    await once(plain.listen(0, '127.0.0.1'), 'listening');
    const { port } = plain.address() as AddressInfo;
    expect(await flyTo(`https://127.0.0.1:${port}`)).toEqual({
      came: 'nothing',
      headersSent: false,
      trouble: {
        is: 'connection',
        code: expect.stringMatching(/^ERR_SSL_|^EPROTO$/u),
        text: expect.any(String),
      },
    });
    plain.close();
  });

  test('when the host has no address', async () => {
    // A label this long is no name: it is not even looked up outside.
    const flight = noReply(await flyTo(`http://${'x'.repeat(64)}.test`));
    expect(flight.headersSent).toBe(false);
    expect(flight.trouble).toMatchObject({ is: 'connection', code: 'ENOTFOUND' });
  });

  test('when TLS is never answered, and what was being connected is let go', async () => {
    const { port, talks } = await server(() => {});
    const flight = noReply(await flyTo(`https://localhost:${port}`, { timeoutMs: 100 }));
    expect(flight).toEqual({
      came: 'nothing',
      headersSent: false,
      trouble: { is: 'timed-out', afterMs: 100 },
    });
    await expect.poll(() => talks[0]?.socket.destroyed).toBe(true);
    expect(String(talks[0]?.received)).not.toContain('POST');
  });

  test('when it is interrupted while connecting, and what was being connected is let go at once', async () => {
    const { port, talks } = await server(() => {});
    const cut = new AbortController();
    const channel = openChannel(settingsFor(`https://localhost:${port}`));
    const flying = channel.fly(shipmentTo(`https://localhost:${port}`), limitsOf(60_000, cut.signal));
    await expect.poll(() => talks.length).toBeGreaterThan(0);
    cut.abort();
    expect(noReply(await flying)).toEqual({
      came: 'nothing',
      headersSent: false,
      trouble: { is: 'interrupted' },
    });
    await expect.poll(() => talks[0]?.socket.destroyed).toBe(true);
  });

  test('when it was interrupted before: no connection is made at all', async () => {
    const { port, talks } = await server((socket) => socket.end(httpReply('{}')));
    const flight = await flyTo(`http://127.0.0.1:${port}`, { cut: AbortSignal.abort() });
    expect(flight).toEqual({ came: 'nothing', headersSent: false, trouble: { is: 'interrupted' } });
    expect(talks).toHaveLength(0);
  });
});

const certificates: Certificates | undefined = makeCertificates();

describe.skipIf(certificates === undefined)('TLS (skipped where there is no openssl)', () => {
  let made: Certificates;
  beforeAll(() => {
    if (certificates === undefined) throw new Error('no certificates');
    made = certificates;
    return trust(made.authority);
  });

  test('a good certificate is taken', async () => {
    const { port } = await server((socket) => socket.end(httpReply('{"a":1}')), made.good);
    const flight = reply(await flyTo(`https://localhost:${port}`));
    expect(flight.status).toBe(200);
    expect(String(flight.body)).toBe('{"a":1}');
  });

  test.each([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['otherHost', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['selfSigned', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ] as const)('with a certificate that is %s no byte of the request goes out', async (which, code) => {
    const { port, talks } = await server(() => {}, made[which]);
    const flight = noReply(await flyTo(`https://localhost:${port}`));
    expect(flight).toEqual({
      came: 'nothing',
      headersSent: false,
      trouble: { is: 'certificate', code, text: expect.any(String) },
    });
    expect(talks.map(({ received }) => String(received)).join('')).toBe('');
  });
});
