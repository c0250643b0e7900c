import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { inWords } from '../../src/cli/say/inWords.ts';
import { parseAddress } from '../../src/postgres/address.ts';
import { driverSettings, PgConnection } from '../../src/postgres/connection.ts';
import { unreachable } from '../../src/postgres/faults.ts';
import { makeCertificates } from '../../testing/certificates.ts';
import { failureOf } from '../../testing/failure.ts';
import { type PostgresServer, startServer } from '../../testing/postgres/server.ts';

const certificates = makeCertificates();
const withTls = certificates === undefined ? {} : { certificate: certificates.good };

let server: PostgresServer;
beforeAll(async () => {
  server = await startServer(withTls);
});
afterAll(() => server.close());

const addressOf = (text: string) => parseAddress(text, 'BOTCTL_JOURNAL', {}, () => 'me');

async function lineTo(text: string): Promise<PgConnection> {
  const line = await PgConnection.connect(addressOf(text));
  onTestFinished(() => line.close());
  return line;
}

/** Whoever stands between: it speaks TLS to who connects, and `answer`s what comes over it. Its port. */
async function between(answer: (secure: TLSSocket) => void): Promise<number> {
  const { key, cert } = certificates?.selfSigned ?? {};
  const sockets: Socket[] = [];
  const listening = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, key, cert });
      answer(secure.on('error', () => {}));
    });
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    listening.close();
  });
  return (listening.address() as AddressInfo).port;
}

/** Asks a client for something, or tells it that it is let in, in its first answer. */
const says =
  (code: number, heard: string[] = []) =>
  (secure: TLSSocket) => {
    secure.once('data', () => {
      const message = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, code]);
      secure.write(code === 5 ? Buffer.from([0x52, 0, 0, 0, 12, 0, 0, 0, 5, 1, 2, 3, 4]) : message);
      secure.on('data', (more) => heard.push(more.toString('latin1')));
    });
  };

describe.skipIf(certificates === undefined)('channel_binding', () => {
  const bound = (url: string, binding: string) => `${url}?sslmode=require&channel_binding=${binding}`;
  const through = (port: number) => server.url.replace(`:${server.port}/`, `:${port}/`);
  const passesOn = (secure: TLSSocket) => {
    const beyond = connect(server.port, '127.0.0.1').on('error', () => {});
    secure.pipe(beyond).pipe(secure);
    onTestFinished(() => void beyond.destroy());
  };

  test.each(['require', 'prefer', 'disable'])(
    '%s reaches a server that has its own certificate',
    async (binding) => {
      const line = await lineTo(bound(server.url, binding));
      const { rows } = await line.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      expect(rows).toEqual([{ ssl: true }]);
    },
  );

  test.each(['prefer', 'disable'])('%s takes one that stands between, as libpq does', async (binding) => {
    const line = await lineTo(bound(through(await between(passesOn)), binding));
    expect((await line.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  });

  test('require does not', async () => {
    const failure = await failureOf(async () => lineTo(bound(through(await between(passesOn)), 'require')));
    expect(failure).toMatchObject({ code: 'journal-unusable' });
    expect(failure.message).toContain('does not bind the password to its certificate');
  });

  test.each([
    ['lets everybody in', 0],
    ['asks for the password as it is', 3],
    ['asks for it as a hash', 5],
  ])('require refuses one that %s, and sends no password', async (_what, code) => {
    const heard: string[] = [];
    const port = await between(says(code, heard));
    const failure = await failureOf(() => lineTo(bound(through(port), 'require')));
    expect(failure.message).toContain('does not bind the password to its certificate');
    expect(heard.join('')).not.toMatch(/^p/u);
  });
});

describe('target_session_attrs', () => {
  const wants = async (target: string, isReadOnly: boolean): Promise<string> => {
    const url = await server.newDatabase();
    const name = new URL(url).pathname.slice(1);
    if (isReadOnly) await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    try {
      await lineTo(`${url}?target_session_attrs=${target}`);
      return 'taken';
    } catch (error) {
      return (await inWords(unreachable(error, 'postgres://db/x'))).message;
    }
  };

  test.each([
    ['any', 'taken', 'taken'],
    ['prefer-standby', 'taken', 'taken'],
    ['primary', 'taken', 'taken'],
    ['read-write', 'taken', 'not read-write'],
    ['read-only', 'not read-only', 'taken'],
    ['standby', 'not standby', 'not standby'],
  ])(
    '%s: a server that takes everything is %s, one that takes nothing is %s',
    async (target, first, second) => {
      expect(await wants(target, false)).toContain(first);
      expect(await wants(target, true)).toContain(second);
    },
  );
});

test('options lead to a server of a service, which a server of its own does not know', async () => {
  const refused = lineTo(`${server.url}?options=endpoint%3Dep-cool-sea-1`);
  await expect(refused).rejects.toThrow('endpoint=ep-cool-sea-1');
});

test.each([
  ['', { keepAlive: true, keepAliveInitialDelayMillis: 0 }],
  ['?keepalives=1', { keepAlive: true, keepAliveInitialDelayMillis: 0 }],
  ['?keepalives=0', { keepAlive: false }],
  ['?keepalives_idle=30', { keepAlive: true, keepAliveInitialDelayMillis: 30_000 }],
])('keepalives: %j', (query, told) => {
  expect(driverSettings(addressOf(`postgres://db/x${query}`))).toMatchObject(told);
});
