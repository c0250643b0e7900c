import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { failureOf } from '../support/failure.ts';
import { newEntry } from '../support/journals.ts';
import { startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { type PostgresServer, startServer } from '../support/postgres/server.ts';
import { newPlaceIn, openShared } from '../support/postgres/sharedJournal.ts';

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
    expect(await tx.findUnnamed('x', 0)).toBeUndefined();
    looking ??= second.commit(async (theirs) => (await theirs.findUnnamed('x', 0)) !== undefined, guards);
    while ((await server.query(waitsForLock)).length === 0) await pause(10);
    await tx.begin(newEntry({ identity: 'x' }), 'hash', 1);
  }, guards);
  expect(await looking).toBe(true);
});

const waitsForLock = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;

test('a line that the server ended for being idle is made again', async () => {
  const place = await newPlaceIn(await server.newDatabase());
  let isSet = false;
  const proxy = closedAfterTest(
    await startCuttableProxy(server.port, (from, message) => {
      const at = from === 'client' && !isSet ? message.indexOf(neverIdle) : -1;
      if (at < 0) return message;
      isSet = true;
      const changed = Buffer.from(message);
      changed.write('9', at + neverIdle.length);
      return changed;
    }),
  );
  const journal = await openShared({ ...place, url: proxy.through(place.url) });
  const log = join(server.folder, 'log');
  while (!readFileSync(log, 'utf8').includes('idle-session timeout')) await pause(10);
  const entry = newEntry();
  await journal.commit((tx) => tx.begin(entry, 'h', 1), guards);
  expect((await journal.reads.get(entry.id))?.id).toBe(entry.id);
});

const neverIdle = `'idle_session_timeout', '`;

test('a commit that no standby was waited for is believed by nobody, however quiet the server is', async () => {
  const place = await newPlaceIn(await server.newDatabase());
  const journal = await openShared(place);
  await server.query(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
  await server.query('SELECT pg_reload_conf()');
  const failing = failureOf(() =>
    journal.commit((tx) => tx.begin(newEntry(), 'h', 1), { beforeSending: true }),
  );
  while ((await server.query(cancelWaiting)).length === 0) await pause(10);
  expect(await failing).toMatchObject({ code: 'journal-not-durable' });
});

const cancelWaiting = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
