import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCuttableProxy } from '../../testing/postgres/cuttableProxy.ts';
import { type PostgresServer, startServer } from '../../testing/postgres/server.ts';

describe('a standby', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  test('follows, and takes writes once it is promoted', async () => {
    await server.query('CREATE TABLE followed AS SELECT 1 AS id');
    const standby = await server.standby();
    await server.query('INSERT INTO followed VALUES (2)');
    await standby.caughtUp();
    expect(await standby.query('SELECT id FROM followed')).toEqual([{ id: 1 }, { id: 2 }]);
    await expect(standby.query('INSERT INTO followed VALUES (3)')).rejects.toThrow(/read-only transaction/u);
    await standby.promote();
    await standby.query('INSERT INTO followed VALUES (3)');
    expect(await standby.query('SELECT count(*)::int AS rows FROM followed')).toEqual([{ rows: 3 }]);
    expect(await server.query('SELECT count(*)::int AS rows FROM followed')).toEqual([{ rows: 2 }]);
    await standby.close();
  });

  test('follows PostgreSQL 15 as well', async () => {
    const older = await startServer({ version: 15 });
    const standby = await older.standby();
    await older.query('CREATE TABLE followed AS SELECT 1 AS id');
    await standby.caughtUp();
    expect(await standby.query('SELECT id FROM followed')).toEqual([{ id: 1 }]);
    await standby.close();
    await older.close();
  });

  test('lacks what its primary committed after they were cut apart', async () => {
    await server.query('CREATE TABLE lagging AS SELECT 1 AS id');
    const proxy = await startCuttableProxy(server.port);
    const standby = await server.standby({ through: proxy.port });
    await standby.caughtUp();
    proxy.refuse();
    proxy.now('cut');
    await server.query('INSERT INTO lagging VALUES (2)');
    await standby.promote();
    expect(await standby.query('SELECT id FROM lagging')).toEqual([{ id: 1 }]);
    await standby.close();
    await proxy.close();
  });

  test('is waited for by a commit where its primary was told so', async () => {
    const standby = await server.standby();
    await server.restart({ synchronous_standby_names: 'standby_3' });
    await standby.caughtUp();
    await server.query('CREATE TABLE waited AS SELECT 1 AS id');
    expect(await server.query('SELECT sync_state FROM pg_stat_replication')).toEqual([
      { sync_state: 'sync' },
    ]);
    await standby.close();
    await server.restart({ synchronous_standby_names: '' });
  });

  test('is not needed to bring a server back to an earlier point', async () => {
    await server.query('CREATE TABLE restored AS SELECT 1 AS id');
    const snapshot = await server.snapshot();
    await server.query('INSERT INTO restored VALUES (2)');
    await server.restore(snapshot);
    expect(await server.query('SELECT id FROM restored')).toEqual([{ id: 1 }]);
  });
});
