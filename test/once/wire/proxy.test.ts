import type { Socket } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { openChannel } from '../../../src/once/wire/undiciChannel.ts';
import { type Certificates, makeCertificates, trust } from '../../support/certificates.ts';
import { closedAfterTest } from '../../support/closedAfterTest.ts';
import { failureOf } from '../../support/failure.ts';
import { flyTo, neverMs, noReply, path, reply, settingsFor, token } from '../../support/flights.ts';
import { deadPort, httpReply, type Loopback, startLoopback } from '../../support/loopback.ts';
import { type LoopbackProxy, startProxy } from '../../support/proxy.ts';

const ok = (socket: Socket): void => void socket.end(httpReply('{"a":1}'));

// No name: where it is not the proxy’s to find, it is found nowhere, and nobody outside is asked.
const nowhere = `https://${'x'.repeat(64)}.bots.test`;

const certificates: Certificates | undefined = makeCertificates();

describe.skipIf(certificates === undefined)('through a proxy (skipped where there is no openssl)', () => {
  let made: Certificates;
  beforeAll(() => {
    if (certificates === undefined) throw new Error('no certificates');
    made = certificates;
    return trust(made.authority);
  });

  async function behindProxy(
    onRequest: (socket: Socket) => void,
    which: keyof Certificates = 'good',
    answer?: (socket: Socket) => boolean,
  ): Promise<{ service: Loopback; proxy: LoopbackProxy }> {
    const certificate = made[which];
    if (typeof certificate === 'string') throw new Error('an authority serves nothing');
    const service = closedAfterTest(await startLoopback(onRequest, certificate));
    return { service, proxy: closedAfterTest(await startProxy(service.port, answer)) };
  }

  const envOf = ({ port }: LoopbackProxy): Record<string, string> => ({
    HTTPS_PROXY: `http://127.0.0.1:${port}`,
  });

  test('a request comes through a tunnel, and the proxy never sees the token', async () => {
    const { service, proxy } = await behindProxy(ok);
    const flight = reply(await flyTo('https://bots.test', { env: envOf(proxy) }));
    expect([flight.status, String(flight.body)]).toEqual([200, '{"a":1}']);
    expect(proxy.connects.map(({ url }) => url)).toEqual(['bots.test:443']);
    expect(JSON.stringify(proxy.connects[0]?.headers)).not.toContain(token);
    expect(Buffer.concat(proxy.passed).toString('latin1')).not.toContain(token);
    const request = String(service.talks[0]?.received);
    expect(request).toContain(`POST ${path} HTTP/1.1`);
    expect(request.match(/authorization: Bot secret-token/giu)).toHaveLength(1);
    expect(request.toLowerCase()).toContain('host: bots.test\r\n');
  });

  test.each<[string, (port: number) => string]>([
    ['without a scheme', (port) => `127.0.0.1:${port}`],
    ['by name without a scheme', (port) => `localhost:${port}`],
    ['with a slash', (port) => `http://127.0.0.1:${port}/`],
  ])('the proxy can be given %s', async (_how, url) => {
    const { proxy } = await behindProxy(ok);
    const flight = await flyTo('https://bots.test', { env: { HTTPS_PROXY: url(proxy.port) } });
    expect(reply(flight).status).toBe(200);
  });

  test('the proxy gets its own user and password, and nobody else does', async () => {
    const { service, proxy } = await behindProxy(ok);
    const env = { HTTPS_PROXY: `http://user:pa%40ss@127.0.0.1:${proxy.port}` };
    expect(reply(await flyTo('https://bots.test', { env })).status).toBe(200);
    expect(proxy.connects[0]?.headers['proxy-authorization']).toBe(
      `Basic ${Buffer.from('user:pa@ss').toString('base64')}`,
    );
    expect(String(service.talks[0]?.received).toLowerCase()).not.toContain('proxy-');
  });

  test('https_proxy outranks HTTPS_PROXY, and where it is empty it hides nothing', async () => {
    const { proxy } = await behindProxy(ok);
    const dead = `http://127.0.0.1:${await deadPort()}`;
    const lower = { https_proxy: envOf(proxy).HTTPS_PROXY, HTTPS_PROXY: dead };
    expect(reply(await flyTo('https://bots.test', { env: lower })).status).toBe(200);
    const empty = { ...envOf(proxy), https_proxy: '' };
    expect(reply(await flyTo('https://bots.test', { env: empty })).status).toBe(200);
    expect(proxy.connects).toHaveLength(2);
  });

  test.each([
    [403, ''],
    [407, ''],
    [407, 'user:secret@'],
  ])('a proxy that answers %i lets nothing out (user: %j)', async (status, user) => {
    const { service, proxy } = await behindProxy(ok, 'good', (socket) => {
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return false;
    });
    const env = { HTTPS_PROXY: `http://${user}127.0.0.1:${proxy.port}` };
    const flight = noReply(await flyTo('https://bots.test', { env }));
    expect(flight.headersSent).toBe(false);
    expect(flight.trouble).toEqual({ is: 'no-tunnel', status });
    expect(service.talks).toHaveLength(0);
  });

  test.each<[string, (socket: Socket) => void, number]>([
    ['never answers', () => {}, 150],
    ['hangs up', (socket) => void socket.destroy(), neverMs],
    ['talks nonsense', (socket) => void socket.end('hello\r\n\r\n'), neverMs],
  ])('a proxy that %s lets nothing out', async (_what, answer, timeoutMs) => {
    const { service, proxy } = await behindProxy(ok, 'good', (socket) => {
      answer(socket);
      return false;
    });
    const flight = noReply(await flyTo('https://bots.test', { env: envOf(proxy), timeoutMs }));
    expect(flight.headersSent).toBe(false);
    expect(service.talks).toHaveLength(0);
  });

  test('a proxy that refuses the connection lets nothing out', async () => {
    const env = { HTTPS_PROXY: `http://127.0.0.1:${await deadPort()}` };
    const flight = noReply(await flyTo('https://bots.test', { env }));
    expect([flight.headersSent, flight.trouble]).toEqual([
      false,
      expect.objectContaining({ code: 'ECONNREFUSED', atProxy: true }),
    ]);
  });

  test('a tunnel to a certificate for another host lets nothing out', async () => {
    const { service, proxy } = await behindProxy(ok, 'otherHost');
    const flight = noReply(await flyTo('https://bots.test', { env: envOf(proxy), timeoutMs: neverMs }));
    expect([flight.headersSent, flight.trouble]).toEqual([
      false,
      expect.objectContaining({ is: 'certificate' }),
    ]);
    expect(String(service.talks[0]?.received ?? '')).toBe('');
  });

  test.each<[string, (socket: Socket, giveUp: () => void) => void]>([
    ['the service stalls', (_socket, giveUp) => giveUp()],
    ['the service hangs up', (socket) => void socket.destroy()],
  ])('what went through the tunnel went out: %s', async (_what, onRequest) => {
    const cut = new AbortController();
    const { service, proxy } = await behindProxy((socket) => onRequest(socket, () => cut.abort()));
    const limits = { timeoutMs: neverMs, cut: cut.signal };
    const flight = noReply(await flyTo('https://bots.test', { env: envOf(proxy), ...limits }));
    expect(flight.headersSent).toBe(true);
    expect(service.talks).toHaveLength(1);
  });

  test('being interrupted while the tunnel is made lets nothing out', async () => {
    const cut = new AbortController();
    const { proxy } = await behindProxy(ok, 'good', () => {
      cut.abort();
      return false;
    });
    expect(await flyTo('https://bots.test', { env: envOf(proxy), cut: cut.signal })).toEqual({
      came: 'nothing',
      headersSent: false,
      trouble: { is: 'interrupted' },
    });
  });
});

describe('who goes past the proxy', () => {
  const host = new URL(nowhere).hostname;

  async function asksProxy(origin: string, noProxy: Record<string, string>): Promise<boolean> {
    const proxy = closedAfterTest(
      await startProxy(0, (socket) => {
        socket.end('HTTP/1.1 502 No\r\n\r\n');
        return false;
      }),
    );
    const url = `http://127.0.0.1:${proxy.port}`;
    const flight = noReply(await flyTo(origin, { env: { HTTPS_PROXY: url, ...noProxy } }));
    expect(flight.headersSent).toBe(false);
    return proxy.connects.length > 0;
  }

  test.each([
    ['', true],
    ['*', false],
    [host, false],
    [host.toUpperCase(), false],
    ['.bots.test', false],
    ['*.bots.test', false],
    ['bots.test', false],
    ['.test', false],
    [`other.test, ${host}`, false],
    [`other.test ${host}`, false],
    [`${host}:443`, false],
    [`${host}:8443`, true],
    ['other.test', true],
    ['ots.test', true],
    ['x.bots.test', true],
    ['127.0.0.1', true],
  ])('NO_PROXY=%s: proxy asked %s', async (noProxy, asked) => {
    expect(await asksProxy(nowhere, { NO_PROXY: noProxy })).toBe(asked);
  });

  test('an empty no_proxy does not hide NO_PROXY', async () => {
    expect(await asksProxy(nowhere, { no_proxy: '', NO_PROXY: host })).toBe(false);
  });

  test('no_proxy outranks NO_PROXY', async () => {
    expect(await asksProxy(nowhere, { no_proxy: host, NO_PROXY: 'other.test' })).toBe(false);
    expect(await asksProxy(nowhere, { no_proxy: 'other.test', NO_PROXY: host })).toBe(true);
  });

  test('NO_PROXY of the process itself counts for nothing: the environment is passed in', async () => {
    process.env.NO_PROXY = '*';
    try {
      expect(await asksProxy(nowhere, {})).toBe(true);
    } finally {
      delete process.env.NO_PROXY;
    }
  });

  test('a proxy for http is none for https', async () => {
    const proxy = closedAfterTest(await startProxy(0));
    await flyTo(nowhere, { env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` } });
    expect(proxy.connects).toHaveLength(0);
  });

  test.each(['127.0.0.1', 'localhost'])(
    'what is for this machine (%s) never leaves it in the clear',
    async (name) => {
      const service = closedAfterTest(await startLoopback(ok));
      const proxy = closedAfterTest(await startProxy(service.port));
      const url = `http://127.0.0.1:${proxy.port}`;
      const env = { HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, https_proxy: url };
      expect(reply(await flyTo(`http://${name}:${service.port}`, { env })).status).toBe(200);
      expect([...proxy.connects, ...proxy.plain]).toHaveLength(0);
    },
  );
});

describe('a proxy that cannot be one is refused before there is a channel, without its password being shown', () => {
  test.each([
    'http://',
    'http://user:secret@',
    'http://user:secret@proxy.test:99999',
    'socks5://user:secret@proxy.test:1080',
    'file:///secret',
    'secret://proxy.test',
    'http://[secret',
    '://secret',
    'http://user:%zzsecret@127.0.0.1:1',
  ])('%j', async (url) => {
    const settings = settingsFor('https://bots.test', { env: { HTTPS_PROXY: url } });
    const failure = await failureOf(() => openChannel(settings));
    expect(failure.code).toBe('bad-proxy');
    expect(failure.message).toContain('is not an http:// or https:// URL');
    expect(failure.message + failure.details.hint).not.toContain('secret');
  });

  test('where it is not on the way it is not looked at', () => {
    const env = { HTTPS_PROXY: 'socks5://x', NO_PROXY: 'bots.test' };
    expect(openChannel(settingsFor('https://bots.test', { env }))).toBeDefined();
    expect(
      openChannel(settingsFor('http://127.0.0.1:1', { env: { HTTPS_PROXY: 'socks5://x' } })),
    ).toBeDefined();
  });
});

describe('certificates are checked', () => {
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

  test.each(['https://bots.test', 'https://127.0.0.1.bots.test', 'https://localhost.bots.test:8443'])(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 is refused for %s',
    (origin) => {
      expect(() => openChannel(settingsFor(origin, { env }))).toThrow(
        expect.objectContaining({ code: 'insecure-tls' }),
      );
    },
  );

  test.each(['https://localhost:8443', 'https://127.0.0.1:8443', 'https://[::1]:8443', 'http://127.0.0.1:1'])(
    'and left alone for %s',
    (origin) => {
      expect(openChannel(settingsFor(origin, { env }))).toBeDefined();
    },
  );
});
