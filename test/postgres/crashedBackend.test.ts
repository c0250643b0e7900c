import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endWith, newIntent } from '../../testing/journals.ts';
import { type CuttableProxy, startCuttableProxy } from '../../testing/postgres/cuttableProxy.ts';
import { type PostgresServer, startServer } from '../../testing/postgres/server.ts';
import { newPlaceIn, openShared } from '../../testing/postgres/sharedJournal.ts';

let server: PostgresServer;
let proxy: CuttableProxy;
beforeAll(async () => {
  // What is not committed yet is on no disk when a process of the server crashes.
  server = await startServer({ settings: { wal_writer_delay: '10s', restart_after_crash: 'on' } });
  proxy = await startCuttableProxy(server.port);
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

test('what came back is on record although the server forgot it and gave its number to another', {
  timeout: 60_000,
}, async () => {
  const place = await newPlaceIn(await server.newDatabase());
  const journal = await openShared({ ...place, url: proxy.through(place.url) });
  const { id } = await journal.commit((tx) => tx.begin(newIntent(), 'hash', 1), { beforeSending: true });
  const held = proxy.when({ from: 'client', has: 'COMMIT' }, 'hold');
  const recorded = journal.commit(async (tx) => {
    await tx.endAttempt(id, 1, endWith('accepted'), 2);
    return tx.conclude(id, 'accepted', undefined, 2);
  });
  await held;
  const startedAt = await server.query(askStart);
  await crashOneProcess();
  expect(await server.query(askStart)).toEqual(startedAt);
  for (const table of ['first', 'second', 'third'])
    await server.query(`CREATE TABLE of_the_${table} (number int)`);
  proxy.release();
  await recorded;
  expect((await journal.reads.get(id))?.state).toBe('accepted');
});

const askStart = 'SELECT pg_postmaster_start_time()::text AS at';

/** All others start anew, too, and the server has the same first process as before. */
async function crashOneProcess(): Promise<void> {
  const [line] = await server.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction'`,
  );
  process.kill(line?.pid ?? 0, 'SIGKILL');
  let wasAway = false;
  for (;;) {
    try {
      await server.query('SELECT');
      if (wasAway) return;
    } catch {
      wasAway = true;
    }
    await pause(5);
  }
}
