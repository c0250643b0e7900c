import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BaseUrl } from '../../src/once/intent/baseUrl.ts';
import { newIntent } from '../../testing/journals.ts';
import { type CuttableProxy, startCuttableProxy } from '../../testing/postgres/cuttableProxy.ts';
import { type PostgresServer, startServer } from '../../testing/postgres/server.ts';
import { newPlaceIn, openShared } from '../../testing/postgres/sharedJournal.ts';

let server: PostgresServer;
let proxy: CuttableProxy;
beforeAll(async () => {
  // What is not committed yet is on no disk when it is killed.
  server = await startServer({ settings: { wal_writer_delay: '10s' } });
  proxy = await startCuttableProxy(server.port);
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

test('what a killed server has forgotten is not taken for committed when another has its number', {
  timeout: 60_000,
}, async () => {
  const place = await newPlaceIn(await server.newDatabase());
  const journal = await openShared({ ...place, url: proxy.through(place.url) });
  const intent = newIntent({ baseUrl: 'https://bots.example.com' as BaseUrl });
  const held = proxy.when({ from: 'client', has: 'COMMIT' }, 'hold');
  const begun = journal.commit(
    async (tx) => (await tx.get(intent.id)) ?? (await tx.begin(intent, 'hash', 1)),
    { beforeSending: true },
  );
  await held;
  await server.crashAndRestart();
  for (const table of ['first', 'second', 'third'])
    await server.query(`CREATE TABLE of_the_${table} (number int)`);
  proxy.release();
  expect((await begun).state).toBe('sending');
  expect((await journal.reads.get(intent.id))?.owner).toBe(journal.self());
});
