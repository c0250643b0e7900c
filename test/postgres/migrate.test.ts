import { Client } from 'pg';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { schemaVersion } from '../../src/once/journal/schema.ts';
import { migrate, schemaStateOf } from '../../src/postgres/handshake.ts';
import { NotOnStandby } from '../../src/postgres/serverErrors.ts';
import type { Version } from '../support/postgres/binaries.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/server.ts';

const schema = 'bot "ctl"';

describe.each<Version>([18, 15])('the schema on PostgreSQL %i', (version) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await sharedServer(version);
  });

  let clients: Client[] = [];
  afterEach(async () => {
    for (const client of clients) await client.end();
    clients = [];
  });

  async function connect(url: string): Promise<Client> {
    const client = new Client({ connectionString: url });
    await client.connect();
    clients.push(client);
    return client;
  }

  const fresh = async (): Promise<Client> => connect(await server.newDatabase());

  async function valuesOf(client: Client): Promise<{ name: string; value: Buffer }[]> {
    const { rows } = await client.query(`SELECT name, value FROM "bot ""ctl""".meta ORDER BY name`);
    return rows;
  }

  test('takes the time that it needs, and is on disk when it is made', async () => {
    const client = await fresh();
    await client.query(`SET synchronous_commit = off; SET statement_timeout = '25s'`);
    const shown = `SELECT name, setting FROM pg_settings WHERE name IN ('statement_timeout', 'synchronous_commit')`;
    const seen: unknown[] = [];
    const watched = {
      query: async (text: string, values?: unknown[]) => {
        if (/CREATE TABLE meta/u.test(text)) seen.push(...(await client.query(shown)).rows);
        return client.query(text, values);
      },
    };
    await migrate(watched, schema);
    expect(seen).toEqual([
      { name: 'statement_timeout', setting: '0' },
      { name: 'synchronous_commit', setting: 'on' },
    ]);
    const failing = {
      query: async (text: string, values?: unknown[]) => {
        if (text.startsWith('SET LOCAL statement_timeout')) throw new Error('the server failed');
        return client.query(text, values);
      },
    };
    await expect(migrate(failing, 'other')).rejects.toThrow('the server failed');
    expect(await schemaStateOf(client, 'other')).toEqual({ is: 'missing' });
  });

  test('is made from nothing, with a salt and an id of its own', async () => {
    const client = await fresh();
    expect(await schemaStateOf(client, schema)).toEqual({ is: 'missing' });
    expect(await migrate(client, schema)).toEqual({ is: 'missing' });
    expect(await schemaStateOf(client, schema)).toEqual({ is: 'current' });
    const values = await valuesOf(client);
    expect(values).toMatchObject([
      { name: 'journal-id' },
      { name: 'journal-version', value: Buffer.from(String(schemaVersion)) },
      { name: 'lease-ms', value: Buffer.from('30000') },
      { name: 'salt' },
    ]);
    expect([values[0]?.value, values[3]?.value].map((value) => value?.length)).toEqual([16, 32]);
  });

  test('is made in a schema that was there', async () => {
    const client = await fresh();
    await client.query('CREATE SCHEMA "bot ""ctl"""; CREATE TABLE "bot ""ctl"""."else" (id int)');
    expect(await schemaStateOf(client, schema)).toEqual({ is: 'missing' });
    expect(await migrate(client, schema)).toEqual({ is: 'missing' });
  });

  test('is left unchanged by whoever migrates again', async () => {
    const client = await fresh();
    await migrate(client, schema);
    const before = await valuesOf(client);
    expect(await migrate(client, schema)).toEqual({ is: 'current' });
    expect(await valuesOf(client)).toEqual(before);
  });

  test('is made once by several at the same time', async () => {
    const url = await server.newDatabase();
    const all = await Promise.all([1, 2, 3].map(() => connect(url)));
    const done = await Promise.all(all.map((client) => migrate(client, schema)));
    expect(done.map(({ is }) => is).sort()).toEqual(['current', 'current', 'missing']);
  });

  test.each([
    ['newer', '99', { is: 'other-version', version: 99 }],
    ['of another edition', '2', { is: 'other-version', version: 2 }],
    ['no version of a journal', 'nine', { is: 'foreign' }],
  ])('is left unchanged where it is %s', async (_what, written, state) => {
    const client = await fresh();
    await migrate(client, schema);
    await client.query(`UPDATE "bot ""ctl""".meta SET value = '${written}' WHERE name = 'journal-version'`);
    expect(await schemaStateOf(client, schema)).toEqual(state);
    const before = await valuesOf(client);
    expect(await migrate(client, schema)).toEqual(state);
    expect(await valuesOf(client)).toEqual(before);
  });

  test('is left unchanged where another program has a table meta', async () => {
    const client = await fresh();
    await client.query('CREATE SCHEMA "bot ""ctl"""; CREATE TABLE "bot ""ctl""".meta (id int)');
    expect(await migrate(client, schema)).toEqual({ is: 'foreign' });
    await client.query(`DROP TABLE "bot ""ctl""".meta; CREATE TABLE "bot ""ctl""".meta (name text, value bytea);
      INSERT INTO "bot ""ctl""".meta VALUES ('version', '1')`);
    expect(await migrate(client, schema)).toEqual({ is: 'foreign' });
  });

  test('is not there at all, and that is told, wherever the server fails', async () => {
    const client = await fresh();
    let asked = 0;
    const failingAt = (nth: number) => ({
      query: async (text: string, values?: unknown[]) => {
        asked += 1;
        const isAfter = asked > nth;
        if (asked === nth) throw new Error('the server failed');
        if (isAfter) expect(text).toMatch(/ROLLBACK|pg_advisory_unlock/u);
        return client.query(text, values);
      },
    });
    await migrate(failingAt(Number.POSITIVE_INFINITY), 'undisturbed');
    const all = asked;
    // The last one lets go of the lock.
    for (let nth = 1; nth < all; nth += 1) {
      asked = 0;
      await expect(migrate(failingAt(nth), schema), String(nth)).rejects.toThrow('the server failed');
      expect([nth, await schemaStateOf(client, schema)]).toEqual([nth, { is: 'missing' }]);
    }
    expect(all).toBeGreaterThan(10);
  });

  test('is not made by one server process under the lock of another', async () => {
    const client = await fresh();
    const elsewhere = { query: client.query.bind(client), here: '1 / 0 = 1' };
    await expect(migrate(elsewhere as never, schema)).rejects.toMatchObject({ code: '22012' });
    expect(await schemaStateOf(client, schema)).toEqual({ is: 'missing' });
  });

  test('is not called made where no standby has it', async () => {
    const client = await fresh();
    const unawaited = { query: client.query.bind(client), warnings: ['01000'] };
    await expect(migrate(unawaited as never, schema)).rejects.toThrow(NotOnStandby);
  });
});
