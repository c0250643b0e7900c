import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf } from '../../../testing/failure.ts';
import { newIntent } from '../../../testing/journals.ts';
import { type PostgresServer, startServer } from '../../../testing/postgres/server.ts';
import { newPlaceIn, openShared } from '../../../testing/postgres/sharedJournal.ts';

let server: PostgresServer;
beforeAll(async () => {
  // What somebody may have thought right for all who use this server.
  server = await startServer({
    settings: { default_transaction_isolation: 'repeatable read', client_min_messages: 'error' },
  });
});
afterAll(() => server.close());

const guards = { alone: ['the same'], beforeSending: true } as const;

test('who waited for a lock sees what was committed meanwhile, whatever isolation the server prefers', async () => {
  const place = await newPlaceIn(await server.newDatabase());
  const [first, second] = [await openShared(place), await openShared(place)];
  let looking: Promise<boolean> | undefined;
  await first.commit(async (tx) => {
    looking ??= second.commit(async (theirs) => (await theirs.findUnnamed('x')) !== undefined, guards);
    while ((await server.query(waitsForLock)).length === 0) await pause(10);
    await tx.begin(newIntent({ identity: 'x' }), 'hash', 1);
  }, guards);
  expect(await looking).toBe(true);
});

const waitsForLock = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;

test('a commit that no standby was waited for is believed by nobody, however quiet the server is', async () => {
  const place = await newPlaceIn(await server.newDatabase());
  const journal = await openShared(place);
  await server.query(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
  await server.query('SELECT pg_reload_conf()');
  const failing = failureOf(() =>
    journal.commit((tx) => tx.begin(newIntent(), 'h', 1), { alone: ['x'], beforeSending: true }),
  );
  while ((await server.query(cancelWaiting)).length === 0) await pause(10);
  expect(await failing).toMatchObject({ code: 'journal-not-durable' });
});

const cancelWaiting = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
