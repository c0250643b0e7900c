import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Transaction } from '../../src/once/journal/journal.ts';
import { parseAddress } from '../../src/postgres/address.ts';
import { lockOfWriters } from '../../src/postgres/base.ts';
import { PgConnection } from '../../src/postgres/connection.ts';
import { migrate } from '../../src/postgres/handshake.ts';
import { openSharedJournal } from '../../src/postgres/openSharedJournal.ts';
import { failureOf } from '../support/failure.ts';
import { allOf, done, inHand, newEntry, newFolder, nowMs } from '../support/journals.ts';
import { passHere } from '../support/localTime.ts';
import { asRole } from '../support/postgres/asRole.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { shortSleep } from '../support/postgres/sharedEngine.ts';
import {
  newSharedPlace,
  notedBy,
  onServer,
  openShared,
  patient,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';

const beforeSending = { beforeSending: true } as const;

let proxy: CuttableProxy;
/** What the server's next answer to a COMMIT is made into. */
let asCommitted: string | undefined;
let durability: string[] = [];
/** Whether the server does not understand the next BEGIN. */
let isSpoiled = false;
beforeAll(async () => {
  proxy = await startCuttableProxy((await sharedServer()).port, (from, message) => {
    if (isSpoiled && from === 'client' && message.includes('BEGIN ISOLATION')) {
      isSpoiled = false;
      message.write('BOGUS', message.indexOf('BEGIN'));
    }
    durability.push(...(/synchronous_commit = \w+/u.exec(message.toString('latin1')) ?? []));
    if (from !== 'server' || asCommitted === undefined || message.toString('latin1', 5) !== 'COMMIT\0')
      return message;
    const text = Buffer.from(`${asCommitted}\0`);
    asCommitted = undefined;
    const head = Buffer.from([67, 0, 0, 0, text.length + 4]);
    return Buffer.concat([head, text]);
  });
});
afterAll(() => proxy.close());

const throughProxy = (place: SharedPlace): SharedPlace => ({ ...place, url: proxy.through(place.url) });
const patience = { sleep: shortSleep };

/** Ends the sessions of all others on this journal's database that are in a transaction. */
/** Those who wait for the next question of a transaction: a change is not waited for, but what is asked after it is. */
function killOthers(place: SharedPlace): Promise<unknown> {
  return onServer(place, (client) =>
    client.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND datname = current_database() AND state LIKE 'idle in transaction%'`),
  );
}

describe('a commit', () => {
  test('whose answer is ROLLBACK was not made, and is made again', async () => {
    const journal = await openShared(throughProxy(await newSharedPlace()), { patience });
    let runs = 0;
    const entry = newEntry({ namedBy: 'once', name: 'n' });
    const made = await journal.commit(async (tx) => {
      runs += 1;
      const found = await tx.get(entry.id);
      if (runs === 1) asCommitted = 'ROLLBACK';
      return found === undefined ? (await tx.begin(entry, 'h', nowMs)).attempts : 'found';
    }, beforeSending);
    // The proxy lied: the second run finds what the first one made.
    expect([made, runs]).toEqual(['found', 2]);
  });

  test('that fails writes nothing afterwards, whatever its work still asks for', async () => {
    const journal = await openShared(await newSharedPlace(), { patience });
    // Known as an owner: no rule of the schema would stop it.
    await journal.commit((tx) => tx.begin(newEntry(), 'h', nowMs), beforeSending);
    const entry = newEntry();
    let late: Promise<unknown> = Promise.resolve();
    const work = async (tx: Transaction): Promise<never> => {
      late = tx.get(entry.id).then(() => tx.begin(entry, 'h', nowMs));
      late.catch(() => {});
      await tx.get('other');
      throw new Error('it changed its mind');
    };
    await expect(journal.commit(work, beforeSending)).rejects.toThrow('it changed its mind');
    await late.catch(() => {});
    expect(await journal.reads.get(entry.id)).toBeUndefined();
  });

  test('whose session is ended in the middle of it is made again, once', async () => {
    const place = await newSharedPlace();
    const journal = await openShared(place, { patience });
    let runs = 0;
    const entry = newEntry();
    await journal.commit(async (tx) => {
      runs += 1;
      await tx.begin(entry, 'h', nowMs);
      await tx.get('x');
      if (runs === 1) await killOthers(place);
      await tx.get('x');
    }, beforeSending);
    expect(runs).toBe(2);
    expect(await allOf(journal.reads.select({ limit: 9 }))).toHaveLength(1);
  });

  test('that cannot be made at all is told as a journal that cannot be reached, and nothing is left of it', async () => {
    const place = await newSharedPlace();
    const journal = await openShared(place, { patience: { ...patience, maxWaitMs: 300 } });
    const entry = newEntry();
    let runs = 0;
    const failed = await failureOf(() =>
      journal.commit(async (tx) => {
        runs += 1;
        await tx.begin(entry, 'h', nowMs);
        await tx.get('x');
        await killOthers(place);
        await tx.get('x');
      }, beforeSending),
    );
    expect(failed).toMatchObject({ code: 'journal-unreachable' });
    expect(runs).toBeLessThan(6);
    expect(await allOf((await openShared(place)).reads.select({ limit: 9 }))).toEqual([]);
  });

  test.each(['cut', 'strand'] as const)(
    'whose answer was lost (%s) is not made again, and ends the command: the next run finds what it made',
    async (how) => {
      const place = await newSharedPlace();
      const journal = await openShared(throughProxy(place), { patience });
      const entry = newEntry();
      let runs = 0;
      const lost = proxy.when({ from: how === 'cut' ? 'server' : 'client', has: 'COMMIT' }, how);
      const committing = journal.commit(async (tx) => {
        runs += 1;
        await tx.begin(entry, 'h', nowMs);
      }, beforeSending);
      expect(await failureOf(() => committing)).toMatchObject({ code: 'journal-unreachable' });
      await lost;
      proxy.release();
      expect([runs, notedBy(place), journal.trouble()]).toEqual([1, [], 'stale-claim']);
      await journal.close();
      const next = await openShared(place);
      await expect.poll(() => next.reads.get(entry.id)).toMatchObject({ state: 'sending' });
    },
  );

  test('by a server that says nothing more is waited for once, whatever is asked after it', async () => {
    const place = throughProxy(await newSharedPlace());
    const journal = await openShared(place, { patience: { sleep: shortSleep, maxWaitMs: 0, leastMs: 500 } });
    proxy.now('hold');
    const begin = () => journal.commit((tx) => tx.begin(newEntry(), 'h', nowMs), beforeSending);
    for (const ask of [begin, begin, () => journal.reads.get('somebody')])
      expect(await failureOf(ask)).toMatchObject({ code: 'journal-unreachable' });
    proxy.release();
    // A slow machine needs more than one of so short waits to connect anew.
    const isBegun = () =>
      begin().then(
        ({ state }) => state === 'sending',
        () => false,
      );
    await expect.poll(isBegun).toBe(true);
  });

  test('that the server refuses at its very end leaves nobody waiting for its lock', async () => {
    const place = await newSharedPlace();
    const journal = await openShared(place, { patience });
    await onServer(place, (client) =>
      client.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'never' USING ERRCODE = '22012'; END $$;
        CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION refuse()`),
    );
    const begin = () => journal.commit((tx) => tx.begin(newEntry(), 'h', nowMs), beforeSending);
    await expect(begin()).rejects.toMatchObject({ code: 'journal-unreachable' });
    const held = `SELECT count(*)::int FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'
      AND datname = current_database() AND application_name = 'botctl'`;
    expect((await onServer(place, (client) => client.query(held))).rows).toEqual([{ count: 0 }]);
  });

  test.each<[string, Failing]>([
    ['an answer that was lost', { is: 'lost', kind: 'unreachable' }],
    ['a standby that has none of it', { is: 'unawaited', kind: 'not-on-standby' }],
    ['a server that is away', { is: 'away', kind: 'unreachable' }],
  ])('of two is not made of each alone after %s', async (_what, { is, kind }) => {
    const place = await newSharedPlace();
    const impatient = { ...patience, maxWaitMs: 200 };
    const journal = await openShared(throughProxy(place), { patience: impatient });
    const runs = [0, 0];
    onTestFinished(() => void vi.restoreAllMocks());
    if (is === 'unawaited') vi.spyOn(PgConnection.prototype, 'warnings', 'get').mockReturnValue(['01000']);
    if (is === 'lost') void proxy.when({ from: 'server', has: 'COMMIT' }, 'cut');
    const ends = await journal.commitTogether(
      [0, 1].map((nth) => ({
        guards: beforeSending,
        work: async (tx: Transaction) => {
          runs[nth] = (runs[nth] ?? 0) + 1;
          if (is === 'away' && nth === 1) {
            await tx.get('nobody');
            vi.spyOn(PgConnection, 'connect').mockRejectedValue(
              Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
            );
            await killOthers(place);
          }
          await tx.begin(newEntry(), 'h', nowMs);
          if (is === 'lost' && nth === 1)
            await onServer(place, (client) =>
              client.query(`UPDATE meta SET value = '99' WHERE name = 'journal-version'`),
            );
        },
      })),
    );
    expect(ends).toMatchObject([
      { status: 'rejected', reason: { kind } },
      { status: 'rejected', reason: { kind } },
    ]);
    expect(runs).toEqual([1, 1]);
  });

  test('on a server that takes no changes any more is made on another line', async () => {
    const place = await newSharedPlace();
    const journal = await openShared(place, { patience });
    await refusingOneLine(place, '25006');
    const entry = newEntry();
    await journal.commit((tx) => tx.begin(entry, 'h', nowMs), beforeSending);
    expect(await journal.reads.get(entry.id)).toMatchObject({ state: 'sending' });
  });

  test('kept waiting by another one is told as that, and not as a standby that does not answer', async () => {
    const place = await newSharedPlace();
    const journal = await openShared(place, { patience: { ...patience, maxWaitMs: 1000, leastMs: 9000 } });
    await onServer(place, async (client) => {
      await client.query('BEGIN');
      await client.query(lockOfWriters(place.schema));
      const claiming = journal.commit((tx) => tx.begin(newEntry(), 'h', nowMs), beforeSending);
      await expect(claiming).rejects.toMatchObject({ kind: 'busy' });
    });
  });

  test.each(['made', 'not made'])(
    'that is over, and %s, shows nothing to who still holds it',
    async (end) => {
      const journal = await openShared(await newSharedPlace());
      let kept: Transaction | undefined;
      const ending = journal.commit(async (tx) => {
        kept = tx;
        if (end === 'not made') throw new Error('no');
      }, beforeSending);
      await ending.catch(() => {});
      await expect(allOf((kept as Transaction).select({ limit: 1 }))).rejects.toThrow(
        'this transaction is over',
      );
    },
  );

  test('that did not begin changes nothing, although what it asks is sent with it', async () => {
    const journal = inHand(await openShared(throughProxy(await newSharedPlace())));
    const id = await done(journal, 'rejected');
    isSpoiled = true;
    await expect(journal.markReported(id, nowMs)).rejects.toMatchObject({ code: '42601' });
    expect(await journal.get(id)).toMatchObject({ reportedAtMs: undefined });
  });

  test('that is rolled back again and again is told as that', async () => {
    const journal = await openShared(throughProxy(await newSharedPlace()), {
      patience: { ...patience, maxWaitMs: 200 },
    });
    const failed = await failureOf(() =>
      journal.commit(async () => {
        asCommitted = 'ROLLBACK';
      }),
    );
    expect(failed).toMatchObject({ message: expect.stringContaining('the server rolled a commit back') });
  });

  test('is waited for on the disk', async () => {
    const journal = await openShared(throughProxy(await newSharedPlace()));
    durability = [];
    await journal.commit((tx) => tx.get('x'));
    expect(durability).toEqual(['synchronous_commit = on']);
  });

  test('that starts nothing keeps no lease', async () => {
    const place = await newSharedPlace();
    const journal = inHand(await openShared(place));
    const look = () => journal.commit((tx) => tx.get('x'), {});
    await look();
    await journal.begin(newEntry(), 'h', nowMs);
    passHere(20_000);
    await look();
    expect(journal.trouble()).toBe('stale-claim');
  });

  test('is made in no journal that was put in the place of the one that was open', async () => {
    const place = await newSharedPlace();
    const journal = await openShared(place, { patience });
    await onServer(place, async (client) => {
      await client.query(`DROP SCHEMA ${place.schema} CASCADE`);
      await migrate(client, place.schema);
      const others = `application_name = 'botctl' AND pid <> pg_backend_pid()`;
      await client.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE ${others}`);
    });
    const entry = newEntry();
    const claiming = journal.commit((tx) => tx.begin(entry, 'h', nowMs), beforeSending);
    await expect(claiming).rejects.toMatchObject({
      kind: 'lost',
      fields: { loss: { isGone: true } },
    });
  });

  test('that waited for a statement too long is made again', async () => {
    const place = await newSharedPlace();
    const [journal, other] = [await openShared(place, { patience }), inHand(await openShared(place))];
    const { id } = await other.begin(newEntry(), 'h', nowMs);
    let runs = 0;
    let cancelling: Promise<void> | undefined;
    await onServer(place, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM entries FOR UPDATE');
      const leaving = journal.commit(async (tx) => {
        runs += 1;
        if (runs === 2) await client.query('ROLLBACK');
        else cancelling = untilCancelled(place);
        await tx.markReported(id, nowMs);
      });
      await leaving;
      await cancelling;
    });
    expect(runs).toBe(2);
  });
});

type Failing = {
  readonly is: 'lost' | 'unawaited' | 'away';
  readonly kind: 'not-on-standby' | 'unreachable';
};

/** Who adds an entry first adds none on that line. A rollback leaves a sequence as it is. */
async function refusingOneLine(place: SharedPlace, code: string): Promise<void> {
  await onServer(place, (client) =>
    client.query(`CREATE SEQUENCE line; CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, ${place.schema}
      AS $$ BEGIN
        IF (SELECT NOT is_called FROM line) THEN PERFORM setval('line', pg_backend_pid()); END IF;
        IF (SELECT last_value = pg_backend_pid() FROM line) THEN RAISE EXCEPTION 'not here' USING ERRCODE = '${code}'; END IF;
        RETURN NEW; END $$;
      CREATE TRIGGER refuses BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION refuse()`),
  );
}

describe('a question', () => {
  test.each([
    ['that the server refuses is asked once', '42501', 1],
    ['that others disturb again and again is asked five times', '40001', 5],
  ])('%s', async (_what, code, times) => {
    const journal = await openShared(await newSharedPlace(), { patience });
    onTestFinished(() => void vi.restoreAllMocks());
    const failure = Object.assign(new Error('no'), { code });
    const asked = vi.spyOn(PgConnection.prototype, 'ask').mockRejectedValue(failure);
    await expect(journal.reads.get('somebody')).rejects.toThrow(/./u);
    expect(asked).toHaveBeenCalledTimes(times);
  });
});

/** As a statement_timeout does to whoever waits for a lock. */
async function untilCancelled(place: SharedPlace): Promise<void> {
  const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await onServer(place, (client) => client.query(cancel))).rowCount === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a server', () => {
  const open = (url: string, maxWaitMs: number) =>
    openSharedJournal(
      parseAddress(url, 'BOTCTL_JOURNAL', {}, () => 'nobody'),
      {
        use: 'send',
        dataFolder: newFolder(),
        patience: { ...patient, maxWaitMs, sleep: shortSleep },
      },
    );

  test('with too many connections is waited for, and no longer than was asked for', async () => {
    const place = await newSharedPlace();
    const server = await sharedServer();
    await onServer(place, async (client) => {
      const role = `crowded_${place.schema}`;
      await client.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 0 PASSWORD 'p'`);
      await client.query(`GRANT ALL ON SCHEMA ${place.schema} TO ${role}`);
      await client.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${place.schema} TO ${role}`);
      await client.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${place.schema} TO ${role}`);
      const url = asRole(place.url, role, 'p');
      expect(url).toContain(`:${server.port}/`);
      expect(await failureOf(() => open(url, 300))).toMatchObject({
        code: 'journal-unreachable',
        message: expect.stringContaining('too many connections'),
      });
      const refused = proxy.when({ from: 'server', has: 'too many connections' }, 'hold');
      const opening = open(proxy.through(url), 20_000);
      await refused;
      await client.query(`ALTER ROLE ${role} CONNECTION LIMIT 5`);
      proxy.release();
      await (await opening).close();
    });
  });
});
