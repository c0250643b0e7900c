import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { type Certificate, type Certificates, makeCertificates } from '../support/certificates.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { Home } from '../support/home.ts';
import { httpReply, startLoopback } from '../support/loopback.ts';
import { startProxy } from '../support/proxy.ts';
import { said } from '../support/sandboxHome.ts';

const certificates = makeCertificates();

/** A service over TLS: it answers no request, so that what reaches it is in doubt. */
class Service {
  readonly server: Server;
  connections = 0;
  requests = 0;

  constructor(certificate: Certificate) {
    this.server = createServer({ key: certificate.key, cert: certificate.cert }, (request) => {
      this.requests += 1;
      request.socket.destroy();
    });
    this.server.on('connection', () => {
      this.connections += 1;
    });
  }

  async url(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `https://localhost:${(this.server.address() as AddressInfo).port}`;
  }
}

let home: Home;
let env: Record<string, string>;
let service: Service;

const open = async (certificate: Certificate, authority: string | undefined): Promise<void> => {
  service = new Service(certificate);
  env = { ...home.env, BOTCTL_TOKEN: 'a-token-of-the-bot', BOTCTL_BASE_URL: await service.url() };
  if (authority !== undefined) env.NODE_EXTRA_CA_CERTS = home.file('authority.pem', authority);
};

beforeEach(() => {
  home = new Home();
});
afterEach(() => {
  service?.server.close();
  service?.server.closeAllConnections();
  home.remove();
});

const send = ['send', '--conversation', 'c', '--content', 'x', '--once', 'hello', '--json'];

describe.skipIf(certificates === undefined)(
  'a certificate that is not right (skipped without openssl)',
  () => {
    const made = certificates as Certificates;

    test.each<[string, () => Certificate, boolean, string]>([
      ['of an unknown authority', () => made.good, false, 'unable to verify the first certificate'],
      ['signed by itself', () => made.selfSigned, true, 'self-signed certificate'],
      ['that has expired', () => made.expired, true, 'certificate has expired'],
      ['for another host', () => made.otherHost, true, 'Hostname/IP does not match certificate'],
    ])(
      '%s is tried once more at most, whatever time is left',
      async (_what, certificate, isTrusted, reason) => {
        await open(certificate(), isTrusted ? made.authority : undefined);
        const ended = await botctl([...send, '--max-wait', '1h'], { env });
        const { error, entry } = said(ended);
        expect([ended.code, error?.code, error?.retry]).toEqual([8, 'bad-certificate', 'after-fix']);
        expect(error?.message).toContain(`(${reason}`);
        expect([entry?.state, entry?.attempts]).toEqual(['open', 2]);
        expect([service.connections, service.requests]).toEqual([2, 0]);
      },
    );

    test.each([
      ['SSL_CERT_FILE', (path: string) => ({ SSL_CERT_FILE: path })],
      ['SSL_CERT_DIR', (path: string) => ({ SSL_CERT_DIR: `/nowhere:${dirname(path)}` })],
      [
        'NODE_EXTRA_CA_CERTS, beside another authority',
        (path: string) => ({
          NODE_EXTRA_CA_CERTS: path,
          SSL_CERT_FILE: home.file('b.pem', made.selfSigned.cert),
        }),
      ],
    ])('is right if its authority is named by %s', async (_what, named) => {
      await open(made.good, undefined);
      mkdirSync(join(home.path, 'authorities'));
      const path = home.file('authorities/0a1b2c3d.0', made.authority);
      const reached = said(await botctl([...send, '--max-wait', '0s'], { env: { ...env, ...named(path) } }));
      expect([reached.error?.code, service.requests]).toEqual(['unknown', expect.any(Number)]);
    });

    test('what may have taken effect before stays unknown', async () => {
      await open(made.good, made.authority);
      const first = await botctl([...send, '--max-wait', '0s'], { env });
      expect([first.code, service.requests]).toEqual([9, 1]);
      service.server.setSecureContext({ key: made.expired.key, cert: made.expired.cert });
      const again = await botctl([...send, '--max-wait', '1h'], { env });
      const { error, entry } = said(again);
      expect([again.code, error?.code, entry?.state]).toEqual([9, 'unknown', 'unknown']);
      expect(error?.message).toContain('certificate has expired');
      expect(service.requests).toBe(1);
    });

    test('stops a batch at the first row', async () => {
      await open(made.otherHost, made.authority);
      const lines = Array.from({ length: 200 }, (_, row) => `${row},c,text ${row}\n`);
      const rows = home.file('rows.csv', `id,conversation_id,content\n${lines.join('')}`);
      const batch = ['batch', 'send', rows, '--once', 'news', '--yes', '--json', '--concurrency', '2'];
      const ended = await botctl([...batch, '--max-wait', '1h'], { env });
      expect(ended.code).toBe(11);
      const { error, stopped, result } = JSON.parse(ended.stdout.trimEnd().split('\n').at(-1) ?? '');
      expect([stopped, error.code, error.retry]).toEqual(['certificate', 'stopped', 'after-fix']);
      expect(error.message).toContain('could not be reached (Hostname/IP does not match certificate');
      expect(error.hint).toMatch(/^Check the base URL .+\. Then run the same command again/u);
      expect(result.not_sent).toBe(200);
      expect(service.connections).toBeLessThanOrEqual(4);
    });
  },
);

test.skipIf(certificates === undefined)('the program sends through a proxy', async () => {
  const words = [...send.slice(0, -3), '--base-url', 'https://bots.test', '--json', '--once', 'one'];
  const made = certificates as Certificates;
  const names: string[] = [];
  const proxied = closedAfterTest(
    await startLoopback((socket) => socket.end(httpReply('{"message":{"id":"m1"},"request_id":"r1"}')), {
      ...made.good,
      SNICallback: (name, done) => done(null, void names.push(name)),
    }),
  );
  const proxy = closedAfterTest(await startProxy(proxied.port));
  const env = {
    ...home.env,
    BOTCTL_TOKEN: 'a-token-of-the-bot',
    HTTPS_PROXY: `127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: home.file('authority.pem', made.authority),
  };
  const ran = await botctl(words, { env });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'accepted', message: { id: 'm1' } });
  expect(proxy.connects.map(({ url }) => url)).toEqual(['bots.test:443']);
  const again = await botctlHere(words, { env });
  expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'accepted', replayed: true });
  expect(proxied.talks).toHaveLength(1);

  // The dot is no other host, but what is connected to is asked for with it.
  const dotted = words.map((word) => word.replace('bots.test', 'bots.test.'));
  const same = await botctlHere(dotted, { env });
  expect(JSON.parse(same.stdout)).toMatchObject({ outcome: 'accepted', replayed: true });
  const other = await botctl([...dotted.slice(0, -1), 'another'], { env });
  expect(other).toMatchObject({ code: 0, stderr: '' });
  expect(proxy.connects.map(({ url }) => url)).toEqual(['bots.test:443', 'bots.test.:443']);
  expect(names).toEqual(['bots.test', 'bots.test']);
  const plain = await botctlHere([...words.slice(0, -1), 'another'], { env });
  expect(JSON.parse(plain.stdout)).toMatchObject({ outcome: 'accepted', replayed: true });
  expect(proxied.talks).toHaveLength(2);
});
