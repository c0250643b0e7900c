import { afterEach, beforeEach, expect, test } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { makeCertificates } from '../support/certificates.ts';
import { Home } from '../support/home.ts';
import { httpReply, startLoopback } from '../support/loopback.ts';
import { startProxy } from '../support/proxy.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const words = [
  'send',
  '--conversation',
  'c',
  '--content',
  'x',
  '--base-url',
  'https://bots.test',
  '--json',
  '--once',
  'one',
];

test('the built program sends through a proxy', async ({ skip }) => {
  const certificates = makeCertificates();
  if (certificates === undefined) return skip('there is no openssl to make a certificate with');
  const names: string[] = [];
  const service = await startLoopback(
    (socket) => socket.end(httpReply('{"message":{"id":"m1"},"request_id":"r1"}')),
    { ...certificates.good, SNICallback: (name, done) => done(null, void names.push(name)) },
  );
  const proxy = await startProxy(service.port);
  const env = {
    ...home.env,
    BOTCTL_TOKEN: 'a-token-of-the-bot',
    HTTPS_PROXY: `127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: home.file('authority.pem', certificates.authority),
  };
  try {
    const ran = await botctl(words, { env });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'accepted', message: { id: 'm1' } });
    expect(proxy.connects.map(({ url }) => url)).toEqual(['bots.test:443']);
    const again = await botctl(words, { env });
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'accepted', replayed: true });
    expect(service.talks).toHaveLength(1);

    // The dot is no other host, but what is connected to is asked for with it.
    const dotted = words.map((word) => word.replace('bots.test', 'bots.test.'));
    const same = await botctl(dotted, { env });
    expect(JSON.parse(same.stdout)).toMatchObject({ outcome: 'accepted', replayed: true });
    const other = await botctl([...dotted.slice(0, -1), 'another'], { env });
    expect(other).toMatchObject({ code: 0, stderr: '' });
    expect(proxy.connects.map(({ url }) => url)).toEqual(['bots.test:443', 'bots.test.:443']);
    expect(names).toEqual(['bots.test', 'bots.test']);
    const plain = await botctl([...words.slice(0, -1), 'another'], { env });
    expect(JSON.parse(plain.stdout)).toMatchObject({ outcome: 'accepted', replayed: true });
    expect(service.talks).toHaveLength(2);
  } finally {
    await proxy.close();
    await service.close();
  }
});

test('a socks5:// proxy is refused before anything is journaled, without its password', async () => {
  const env = {
    ...home.env,
    BOTCTL_TOKEN: 'a-token-of-the-bot',
    HTTPS_PROXY: 'socks5://user:secret@proxy.test:1080',
  };
  const ran = await botctlHere(words, { env });
  expect(ran.code).toBe(2);
  const { outcome, error } = JSON.parse(ran.stdout);
  expect([outcome, error.code, error.retry]).toEqual([undefined, 'bad-proxy', 'after-fix']);
  expect(ran.stdout + ran.stderr).not.toContain('secret');
  expect((await botctlHere(['history', '--json'], { env })).stdout).toBe('');
});

test('a proxy that wants a password says where it goes', async () => {
  const proxy = await startProxy(0, (socket) => {
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    return false;
  });
  const env = { ...home.env, BOTCTL_TOKEN: 'a-token-of-the-bot' };
  try {
    const ran = await botctlHere([...words, '--max-wait', '0s'], {
      env: { ...env, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` },
    });
    expect(ran.code).toBe(8);
    const { error } = JSON.parse(ran.stdout);
    expect(error.message).toContain('the proxy made no tunnel (status 407)');
    expect(error.hint).toContain('HTTPS_PROXY, with its user and password');
  } finally {
    await proxy.close();
  }
});
