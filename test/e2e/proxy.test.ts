import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { botctl } from '../helpers/botctl.ts';
import { makeCertificates } from '../helpers/certificates.ts';
import { Home } from '../helpers/home.ts';
import { httpReply, startLoopback } from '../helpers/loopback.ts';
import { startProxy } from '../helpers/proxy.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const words = ['send', '--conversation', 'c', '--content', 'x', '--base-url', 'https://bots.test', '--json'];

test('the built program sends through a proxy', async ({ skip }) => {
  const certificates = makeCertificates();
  if (certificates === undefined) return skip('there is no openssl to make a certificate with');
  const service = await startLoopback(
    (socket) => socket.end(httpReply('{"message":{"id":"m1"},"request_id":"r1"}')),
    certificates.good,
  );
  const proxy = await startProxy(service.port);
  const authority = join(home.path, 'authority.pem');
  writeFileSync(authority, certificates.authority);
  const env = {
    ...home.env,
    BOTCTL_TOKEN: 'a-token-of-the-bot',
    HTTPS_PROXY: `127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: authority,
  };
  try {
    const ran = await botctl(words, { env });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'accepted', message: { id: 'm1' } });
    expect(proxy.asked.map(({ url }) => url)).toEqual(['bots.test:443']);
    const again = await botctl(words, { env });
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'accepted', replayed: true });
    expect(service.talks).toHaveLength(1);
  } finally {
    await proxy.close();
    await service.close();
  }
});

test('a proxy that cannot be one is said, without its password, and nothing has happened', async () => {
  const env = {
    ...home.env,
    BOTCTL_TOKEN: 'a-token-of-the-bot',
    HTTPS_PROXY: 'ftp://user:secret@proxy.test',
  };
  const ran = await botctl([...words, '--retries', '0'], { env });
  expect(ran.code).toBe(8);
  const { outcome, error } = JSON.parse(ran.stdout);
  expect([outcome, error.code]).toEqual(['open', 'unreachable']);
  expect(error.message).toContain('the proxy in HTTPS_PROXY is no http:// or https:// URL');
  expect(ran.stdout + ran.stderr).not.toContain('secret');
});
