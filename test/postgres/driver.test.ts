import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Env } from '../../src/machine/folders.ts';
import { parseAddress } from '../../src/postgres/address.ts';
import { driverSettings, onPassFileIgnored } from '../../src/postgres/connection.ts';
import { type Certificate, type Certificates, makeCertificates } from '../support/certificates.ts';
import { failureOf } from '../support/failure.ts';
import { type PostgresServer, startServer } from '../support/postgres/server.ts';

function settings(text: string, env: Env = {}) {
  return driverSettings(parseAddress(text, 'BOTCTL_JOURNAL', env, () => 'me'));
}

const folder = mkdtempSync(join(tmpdir(), 'botctl-driver-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

function file(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test('the driver is told everything, and asks for the password only when the server does', async () => {
  const told = settings('postgres://bots@db/ledger?sslmode=disable');
  expect(told).toEqual({
    host: 'db',
    port: 5432,
    user: 'bots',
    database: 'ledger',
    password: expect.any(Function),
    ssl: false,
    sslnegotiation: 'postgres',
    application_name: 'botctl',
    options: undefined,
    keepAlive: true,
    pipeline: true,
  });
  expect(await settings('postgres://u:pw@db/x').password()).toBe('pw');
  expect(settings('postgres:///x?host=/tmp').host).toBe('/tmp');
});

test.each([
  ['a certificate that is not there', { sslrootcert: join(folder, 'none.pem') }, 'cannot be read'],
  ['a folder', { sslrootcert: folder }, 'cannot be read'],
])('%s is refused before anything is connected', async (_what, parameters, problem) => {
  const failure = await failureOf(() => settings(`postgres://db/x?${new URLSearchParams(parameters)}`));
  expect(failure.code).toBe('journal-unusable');
  expect(failure.message).toContain(problem);
});

const certificates = makeCertificates();

/** As much of PostgreSQL as it takes to set up TLS: then it says what it was sent, and that it was TLS. */
describe.skipIf(certificates === undefined)('TLS (skipped where there is no openssl)', () => {
  const made = certificates as Certificates;
  let root: string;
  beforeAll(() => {
    root = file('root.pem', made.authority);
  });
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  async function serve({ key, cert }: Certificate): Promise<number> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('S');
        const secure = new TLSSocket(socket, { isServer: true, key, cert });
        secure.on('error', () => {});
        secure.once('data', () => secure.end(errorResponse('reached')));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    return (server.address() as AddressInfo).port;
  }

  /** What the server answers over TLS, or why it was not asked. */
  async function ask(text: string): Promise<string> {
    const client = new Client(settings(text));
    try {
      await client.connect();
      return 'connected';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      await client.end().catch(() => {});
    }
  }

  const verdict = (message: string): string => (message === 'reached' ? 'reached' : 'refused');

  test.each([
    ['good', '127.0.0.1', 'verify-full', 'reached'],
    ['good', 'localhost', 'verify-full', 'reached'],
    ['otherHost', '127.0.0.1', 'verify-full', 'refused'],
    ['otherHost', 'localhost', 'verify-full', 'refused'],
    ['selfSigned', 'localhost', 'verify-full', 'refused'],
    ['expired', 'localhost', 'verify-full', 'refused'],
    ['otherHost', '127.0.0.1', 'verify-ca', 'reached'],
    ['otherHost', 'localhost', 'verify-ca', 'reached'],
    ['selfSigned', 'localhost', 'verify-ca', 'refused'],
  ] as const)('a certificate that is %s, by %s, with %s: %s', async (kind, host, sslmode, expected) => {
    const port = await serve(made[kind]);
    const text = `postgres://me:pw@${host}:${port}/x?sslmode=${sslmode}&sslrootcert=${root}`;
    expect(verdict(await ask(text))).toBe(expected);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(verdict(await ask(text))).toBe(expected);
  });

  test.each(['require', 'verify-ca', 'verify-full'])(
    '%s tells a server without TLS nothing',
    async (sslmode) => {
      const heard: Buffer[] = [];
      const server = createServer((socket) => {
        socket.on('error', () => {}).on('data', (data) => heard.push(data));
        socket.write('N');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closing.push(() => server.close());
      const { port } = server.address() as AddressInfo;
      const parameters = new URLSearchParams({ sslmode, sslrootcert: root });
      expect(await ask(`postgres://me:pw@localhost:${port}/x?${parameters}`)).toContain(
        'does not support SSL',
      );
      const asksForTls = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
      expect(Buffer.concat(heard)).toEqual(asksForTls);
    },
  );

  test('require asks for no proof, and a public authority does not vouch for a private one', async () => {
    const port = await serve(made.selfSigned);
    expect(await ask(`postgres://me:pw@localhost:${port}/x?sslmode=require`)).toBe('reached');
    expect(verdict(await ask(`postgres://me:pw@localhost:${port}/x?sslmode=verify-full`))).toBe('refused');
  });
});

/** PostgreSQL itself. */
describe('a server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startServer(certificates === undefined ? {} : { certificate: certificates.good });
  });
  afterAll(() => server.close());

  type Seen = { usename: string; application_name: string; datname: string; ssl: boolean };

  async function seen(text: string, env: Env = {}): Promise<Seen | undefined> {
    const client = new Client(settings(text, env));
    await client.connect();
    try {
      const { rows } = await client.query<Seen>(
        'SELECT usename, application_name, datname, ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE pid = pg_backend_pid()',
      );
      return rows[0];
    } finally {
      await client.end();
    }
  }

  const as = { usename: 'postgres', application_name: 'botctl', datname: 'postgres' };

  test('is reached over loopback, and over its socket', async () => {
    expect(await seen(server.url)).toEqual({ ...as, ssl: false });
    expect(await seen(server.socketUrl)).toEqual({ ...as, ssl: false });
  });

  test.skipIf(certificates === undefined)('is reached over TLS', async () => {
    const root = file('server-root.pem', certificates?.authority ?? '');
    expect(await seen(`${server.url}?sslrootcert=${root}`)).toEqual({ ...as, ssl: true });
  });

  test('options lead to a server of a service, which a server of its own does not know', async () => {
    await expect(seen(`${server.url}?options=endpoint%3Dep-cool-sea-1`)).rejects.toThrow(
      'endpoint=ep-cool-sea-1',
    );
  });

  test('is reached as the address says, whatever else the driver could read', async () => {
    vi.stubEnv('PGUSER', 'nobody').stubEnv('PGDATABASE', 'nothing').stubEnv('PGAPPNAME', 'other');
    vi.stubEnv('PGSSLMODE', 'require').stubEnv('PGSSLNEGOTIATION', 'direct').stubEnv('PGPASSWORD', 'wrong');
    expect(await seen(server.url)).toEqual({ ...as, ssl: false });
  });

  describe('that asks for a password', () => {
    const ignored: string[] = [];
    beforeEach(() => {
      ignored.length = 0;
      onPassFileIgnored((said) => ignored.push(said));
      vi.stubEnv('PGPASSFILE', join(folder, 'none'));
    });

    const nameless = (): string => server.url.replace(/:[^:@]+@/u, '@');
    const passFile = (mode: number): string =>
      file(`pass-${mode}`, `127.0.0.1:${server.port}:*:postgres:${new URL(server.url).password}\n`, mode);

    test('gets the one of the password file, with no word about it', async () => {
      const warnings = vi.spyOn(process, 'emitWarning');
      vi.stubEnv('PGPASSFILE', passFile(0o600));
      expect(await seen(nameless())).toEqual({ ...as, ssl: false });
      expect([ignored, warnings.mock.calls]).toEqual([[], []]);
    });

    test('gets none from a file that others can read, and that is said', async () => {
      vi.stubEnv('PGPASSFILE', passFile(0o640));
      expect((await failureOf(() => seen(nameless()))).message).toContain('asks for a password');
      expect(ignored).toEqual([expect.stringContaining('has group or world access')]);
    });

    test('nobody gave is told as what it is', async () => {
      const { message } = await failureOf(() => seen(nameless()));
      expect(message).toContain(`postgres://postgres@127.0.0.1:${server.port}/postgres`);
      expect(message).toContain('asks for a password');
    });
  });
});

function errorResponse(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C28000\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
