import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildModule } from '../../testing/builtModule.ts';
import { makeCertificates } from '../../testing/certificates.ts';
import type { Version } from '../../testing/postgres/binaries.ts';
import { processes } from '../../testing/postgres/processes.ts';
import { type PostgresServer, startServer } from '../../testing/postgres/server.ts';

const versions: readonly Version[] = [18, 15];

describe.each(versions)('a real PostgreSQL %i', (version) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startServer({ version });
  });
  afterAll(() => server.close());

  test('is the version that was asked for, and as durable as it comes', async () => {
    const rows = await server.query(`SELECT current_setting('server_version_num')::int / 10000 AS version,
      current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
      current_setting('synchronous_commit') AS synchronous`);
    expect(rows).toEqual([{ version, fsync: 'on', pages: 'on', synchronous: 'on' }]);
  });

  test('gives as many empty databases as are asked for', async () => {
    const [one, other] = [await server.newDatabase(), await server.newDatabase()];
    await server.query('CREATE TABLE here (id int)', [], one);
    const tables = `SELECT relname FROM pg_class WHERE relname = 'here'`;
    expect(await server.query(tables, [], one)).toEqual([{ relname: 'here' }]);
    expect(await server.query(tables, [], other)).toEqual([]);
  });

  test('is reached over its Unix socket without a password', async () => {
    expect(await server.query('SELECT inet_client_addr() AS address', [], server.socketUrl)).toEqual([
      { address: null },
    ]);
  });

  test('has what was committed when it is started again after a kill', async () => {
    const url = await server.newDatabase();
    await server.query('CREATE TABLE kept AS SELECT 1 AS id', [], url);
    await server.crashAndRestart();
    expect(await server.query('SELECT id FROM kept', [], url)).toEqual([{ id: 1 }]);
  });

  test('takes other settings when it is started again', async () => {
    const refused = await startServer({ version, settings: { fsync: 'off' } });
    expect(await refused.query('SHOW fsync')).toEqual([{ fsync: 'off' }]);
    await refused.restart({ fsync: 'on' });
    expect(await refused.query('SHOW fsync')).toEqual([{ fsync: 'on' }]);
    await refused.close();
    expect(existsSync(refused.folder)).toBe(false);
    await expect(refused.query('SELECT 1')).rejects.toThrow(/ECONNREFUSED/u);
  });
});

test('a server is gone, with its data, soon after the process that started it was killed; a stale one before it', async () => {
  const built = await buildModule('testing/postgres/server.ts');
  onTestFinished(() => built.remove());
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const stale = mkdtempSync(join(tmpdir(), `botctl-postgres-${ended}-`));
  const script = `
    const { startServer } = await import(${JSON.stringify(built.href)});
    const server = await startServer();
    console.log(JSON.stringify({ folder: server.folder, url: await server.newDatabase() }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const { folder, url } = JSON.parse(String(line)) as { folder: string; url: string };
  expect(existsSync(stale)).toBe(false);
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  const cut = new Promise((done) => client.once('end', done));
  child.kill('SIGKILL');
  await cut;
  await expect.poll(() => existsSync(folder)).toBe(false);
  expect(processes().filter((process) => process.line.includes(folder))).toEqual([]);
});

const certificates = makeCertificates();

test.skipIf(certificates === undefined)(
  'a server with a certificate shows it to who asks for TLS',
  async () => {
    const server = await startServer(certificates === undefined ? {} : { certificate: certificates.good });
    onTestFinished(() => server.close());
    const client = new Client({
      ...server.superuser,
      host: 'localhost',
      ssl: { ca: certificates?.authority ?? '' },
    });
    await client.connect();
    const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    await client.end();
    expect(rows).toEqual([{ ssl: true }]);
  },
);
