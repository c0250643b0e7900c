import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../../src/once/journal/journal.ts';
import { NotOnStandby } from '../../src/postgres/serverErrors.ts';
import { migrateJournal } from '../../src/postgres/upkeep.ts';
import { failureOf } from '../support/failure.ts';
import { allOf, inHand, newEntry, newFolder, nowMs } from '../support/journals.ts';
import { startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { type PostgresServer, type Standby, startServer } from '../support/postgres/server.ts';
import { shortSleep } from '../support/postgres/sharedEngine.ts';
import {
  lookingAfter,
  newPlaceIn,
  onServer,
  openShared,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';
import { silence, upAsItIs, upForLong } from '../support/postgres/silence.ts';

const patience = { sleep: shortSleep };
const beforeSending = { beforeSending: true } as const;

let server: PostgresServer;
let database: string;
let places = 0;
beforeAll(async () => {
  // What somebody may have thought right for all who use this server.
  server = await startServer({
    settings: { default_transaction_isolation: 'repeatable read', client_min_messages: 'error' },
  });
  database = await server.newDatabase();
});
afterEach(() => setTo({ synchronous_standby_names: '', fsync: 'on', full_page_writes: 'on' }));
afterAll(() => server.close());

function newPlace(): Promise<SharedPlace> {
  places += 1;
  return newPlaceIn(database, `journal_${places}`);
}

async function setTo(settings: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await server.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await server.query('SELECT pg_reload_conf()');
  const [[name, value] = ['', '']] = Object.entries(settings);
  while ((await server.query<{ now: string }>(`SELECT current_setting('${name}') AS now`))[0]?.now !== value)
    await pause(10);
}

async function begun(place: SharedPlace): Promise<Entry> {
  const journal = inHand(await openShared(place, { patience }));
  const entry = await journal.begin(newEntry({ namedBy: 'once', name: 'n' }), 'h', nowMs);
  await journal.close();
  return entry;
}

const anotherMachine = (place: SharedPlace): SharedPlace => ({ ...place, dataFolder: newFolder() });
const onStandby = (place: SharedPlace, standby: Standby): SharedPlace => ({
  ...place,
  url: place.url.replace(`:${server.port}/`, `:${standby.port}/`),
});

describe('a server that may forget what it has acknowledged', () => {
  test('since it stopped waiting for its standby is believed no commit', async () => {
    const place = await newPlace();
    const journal = await openShared(place, { patience });
    await setTo({ synchronous_standby_names: 'nobody' });
    const entry = newEntry();
    const failing = failureOf(() => journal.commit((tx) => tx.begin(entry, 'h', nowMs), beforeSending));
    await cancelWaitingUntil(failing);
    expect(await failing).toMatchObject({ code: 'journal-not-durable' });
  });

  test('since it stopped waiting for its standby is believed no journal that was made', async () => {
    const place = { url: `${database}?schema=made`, schema: 'made', dataFolder: newFolder() };
    await setTo({ synchronous_standby_names: 'nobody' });
    const making = lookingAfter(place, (asking) => migrateJournal(asking)).catch((thrown) => thrown);
    await cancelWaitingUntil(making);
    expect(await making).toBeInstanceOf(NotOnStandby);
  });

  test('waits for a standby no longer than was asked for, and says what it waits for', async () => {
    const place = await newPlace();
    await setTo({ synchronous_standby_names: 'nobody' });
    const journal = await openShared(place, { patience: { ...patience, maxWaitMs: 100, leastMs: 1000 } });
    const begin = () =>
      failureOf(() => journal.commit((tx) => tx.begin(newEntry(), 'h', nowMs), beforeSending));
    expect(await begin()).toMatchObject({ code: 'journal-unreachable' });
    // The second one waits for the locks of the first.
    expect(await begin()).toMatchObject({
      code: 'journal-not-durable',
      message: expect.stringContaining('no standby answered'),
    });
  });

  /** Whoever waits for a standby is told not to. */
  async function cancelWaitingUntil(ended: Promise<unknown>): Promise<void> {
    let isOver = false;
    void ended.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await server.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
      await pause(20);
    }
  }
});

describe('a server that was started anew', () => {
  test('takes nobody for dead until everybody could be heard', async () => {
    const place = await newPlace();
    onTestFinished(() => upAsItIs(database));
    const proxy = await startCuttableProxy(server.port);
    const silent = await openShared({ ...place, url: proxy.through(place.url) }, { patience });
    const other = inHand(await openShared(place, { patience }));
    const { id } = await silent.commit((tx) => tx.begin(newEntry(), 'h', nowMs), beforeSending);
    await proxy.close();
    await upForLong(place.url, place.schema);
    await upAsItIs(database);
    await server.restart();
    await silence(place.url, silent.self(), place.schema);
    await other.recordDeath(id, nowMs);
    expect((await other.get(id))?.state).toBe('sending');
    await upForLong(place.url, place.schema);
    const later = inHand(await openShared(place, { patience }));
    await later.recordDeath(id, nowMs);
    expect((await later.get(id))?.state).toBe('unknown');
  });

  test('after it was killed under a command still has what it acknowledged, and the command goes on', async () => {
    const place = await newPlace();
    const journal = inHand(await openShared(place, { patience }));
    const first = await journal.begin(newEntry(), 'h', nowMs);
    await server.kill();
    const going = journal.begin(newEntry(), 'h', nowMs);
    await server.start();
    const second = await going;
    const found = await allOf(journal.select({ limit: 9 }));
    expect(found.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
  });
});

describe('a standby', () => {
  test('shows the journal; promoted, it is used by who misses nothing of its own, and by others after that', async () => {
    const proxy = await startCuttableProxy(server.port);
    onTestFinished(() => proxy.close());
    const [primary, lacking] = [await newPlace(), await newPlace()];
    onTestFinished(() => upAsItIs(database));
    await upForLong(primary.url, primary.schema);
    const { id: known } = await begun(primary);
    await begun(lacking);
    const standby = await server.standby({ through: proxy.port });
    onTestFinished(() => standby.close());
    await standby.caughtUp();
    const whole = onStandby(primary, standby);

    expect(await failureOf(() => openShared(whole))).toMatchObject({
      code: 'journal-unreachable',
      message: expect.stringContaining('is a standby'),
    });
    const looking = await openShared(whole, { use: 'look' });
    expect([(await looking.reads.get(known))?.id, looking.isReadOnly]).toEqual([known, true]);
    await looking.close();

    proxy.refuse();
    proxy.now('cut');
    await begun(lacking);
    // What it has not received yet is not lost.
    const behind = await openShared(onStandby(lacking, standby), { use: 'look' });
    expect(behind.lost).toBeUndefined();
    await behind.close();
    await standby.promote();
    expect(await failureOf(() => openShared(onStandby(lacking, standby)))).toMatchObject({
      code: 'journal-lost',
      message: expect.stringContaining('acknowledged to this machine'),
    });

    // A machine without a note has nothing to compare.
    await (await openShared(anotherMachine(whole))).close();
    await onServer(whole, async (client) => {
      await client.query(
        `INSERT INTO owners (id, host, pid, begun_at, renewed_at) VALUES ('silent', 'h', 1, 1, 1)`,
      );
    });
    const journal = inHand(await openShared(whole));
    const { id } = await journal.begin(newEntry(), 'h', nowMs);
    expect((await journal.get(known))?.id).toBe(known);
    await onServer(whole, async (client) => {
      await client.query('SET session_replication_role = replica');
      await client.query(`UPDATE entries SET owner = 'silent' WHERE id = '${id}'`);
    });
    // Up for long, and yet nobody could renew a lease here before it was promoted.
    expect((await journal.get(id))?.ownerLives).toBe(true);
    await upForLong(whole.url, whole.schema);
    const later = inHand(await openShared(whole));
    expect((await later.get(id))?.ownerLives).toBe(false);
    await later.close();
    await (await openShared(anotherMachine(whole))).close();
    await journal.close();
  });
});

describe('a server restored to an earlier moment', () => {
  test('has lost something for who was told more, and nothing is sent, also in the middle of a command', async () => {
    const place = await newPlace();
    await begun(place);
    const early = await server.snapshot();
    const journal = inHand(await openShared(place, { patience }));
    await journal.begin(newEntry(), 'h', nowMs);
    await server.restore(early);
    expect(await failureOf(() => journal.begin(newEntry(), 'h', nowMs))).toMatchObject({
      code: 'journal-lost',
    });
    expect(await failureOf(() => openShared(place))).toMatchObject({ code: 'journal-lost' });
  });
});

describe('a server with its own defaults', () => {
  const guards = { alone: ['the same'], beforeSending: true } as const;
  const waitsForLock = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;

  test('who waited for a lock sees what was committed meanwhile, whatever isolation the server prefers', async () => {
    const place = await newPlace();
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
});
