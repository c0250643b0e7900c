import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type CuttableProxy, startCuttableProxy } from '../../testing/postgres/cuttableProxy.ts';
import { type PostgresServer, sharedServer } from '../../testing/postgres/server.ts';

describe('a proxy before PostgreSQL', () => {
  let server: PostgresServer;
  let proxy: CuttableProxy;
  let url: string;
  beforeAll(async () => {
    server = await sharedServer();
    proxy = await startCuttableProxy(server.port);
    url = await server.newDatabase();
  });
  afterAll(() => proxy.close());
  beforeEach(() => server.query('DROP TABLE IF EXISTS rows; CREATE TABLE rows (id int)', [], url));

  async function connected(): Promise<Client> {
    const client = new Client({ connectionString: proxy.through(url) });
    client.on('error', () => {});
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  async function addRow(client: Client): Promise<void> {
    await client.query('BEGIN');
    await client.query('INSERT INTO rows VALUES ($1)', [1]);
    await client.query('COMMIT');
  }

  const rows = (): Promise<unknown[]> => server.query('SELECT id FROM rows', [], url);

  test('passes everything on while it is told nothing', async () => {
    await addRow(await connected());
    expect(await rows()).toEqual([{ id: 1 }]);
  });

  test('cuts before the server has the COMMIT', async () => {
    const client = await connected();
    const cut = proxy.when({ from: 'client', has: 'COMMIT' }, 'cut');
    await expect(addRow(client)).rejects.toThrow(/ECONNRESET|terminated/u);
    await cut;
    expect(await rows()).toEqual([]);
  });

  test('cuts when the server has committed and the client has not heard of it', async () => {
    const client = await connected();
    const cut = proxy.when({ from: 'server', has: 'COMMIT' }, 'cut');
    await expect(addRow(client)).rejects.toThrow(/ECONNRESET|terminated/u);
    await cut;
    expect(await rows()).toEqual([{ id: 1 }]);
  });

  test('strands a COMMIT that the server gets after the client has given up', async () => {
    const client = await connected();
    const stranded = proxy.when({ from: 'client', has: 'COMMIT' }, 'strand');
    await expect(addRow(client)).rejects.toThrow(/ECONNRESET|terminated/u);
    await stranded;
    expect(await rows()).toEqual([]);
    proxy.release();
    await expect.poll(rows).toEqual([{ id: 1 }]);
  });

  test('holds what is sent, until it is released', async () => {
    const client = await connected();
    const held = proxy.when({ from: 'client', has: 'COMMIT' }, 'hold');
    const added = addRow(client);
    await held;
    expect(await rows()).toEqual([]);
    proxy.release();
    await added;
    expect(await rows()).toEqual([{ id: 1 }]);
  });

  test('holds those that connect while it holds all', async () => {
    proxy.now('hold');
    const connecting = connected();
    const first = await Promise.race([connecting.then(() => 'connected'), rows().then(() => 'others')]);
    expect(first).toBe('others');
    proxy.release();
    await addRow(await connecting);
  });

  test('refuses connections until it accepts them again', async () => {
    const client = await connected();
    proxy.refuse();
    await expect(connected()).rejects.toThrow(/ECONNREFUSED/u);
    await addRow(client);
    await proxy.accept();
    await addRow(await connected());
    expect(await rows()).toHaveLength(2);
  });
});
