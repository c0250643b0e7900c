import { Client } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { startGate } from '../../testing/gate.ts';
import { newSharedJournal } from '../../testing/postgres/newJournal.ts';
import {
  pgbouncer,
  startPooler,
  startPretendPooler,
  withoutPgbouncer,
} from '../../testing/postgres/pooler.ts';
import { type PostgresServer, sharedServer } from '../../testing/postgres/server.ts';
import { payAda, type Said, SandboxHome } from '../../testing/sandboxHome.ts';

let server: PostgresServer;
let operator: SandboxHome;
let journal: string;
beforeAll(async () => {
  server = await sharedServer();
});
beforeEach(async () => {
  operator = await SandboxHome.open();
  journal = await newSharedJournal(server);
});
afterEach(() => operator.close());

const pay = (name: string): string[] => [...payAda, '--once', name, '--repeat', '--yes'];

/** Every payment that was made is on record as one that may have been, and every one on record was made. */
async function expectWholeJournal(): Promise<void> {
  const made = await operator.sandbox.ledger({ kind: 'transfer' });
  const kept = await server.query<{ key: string; state: string }>(
    'SELECT key, state FROM botctl.intents',
    [],
    journal,
  );
  const stateOf = new Map(kept.map(({ key, state }) => [key, state]));
  expect(
    made.map(({ key }) => stateOf.get(key ?? '') ?? 'unheard of').filter((state) => !mayHave.has(state)),
  ).toEqual([]);
  expect(new Set(made.map(({ key }) => key)).size).toBe(made.length);
}

const mayHave = new Set(['accepted', 'sending', 'unknown']);

describe(`behind PgBouncer${withoutPgbouncer}`, () => {
  test.skipIf(pgbouncer === undefined)('in session mode everything works', async () => {
    const pooler = closedAfterTest(await startPooler(server, 'session'));
    operator.env.BOTCTL_JOURNAL = pooler.through(await server.newDatabase());
    expect((await operator.run(['journal', 'migrate'])).code).toBe(0);
    expect(await operator.json(pay('rent'))).toMatchObject({ exit: 0, replayed: false });
    const runs = await Promise.all([1, 2, 3].map(() => operator.jsonApart(pay('food'))));
    expect(runs.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    expect(await operator.sandbox.ledger({ kind: 'transfer' })).toHaveLength(2);
    expect((await operator.run(['doctor', '--json'])).stdout).not.toContain('pooler');
  });

  test.skipIf(pgbouncer === undefined).each(['transaction', 'statement'] as const)(
    'in %s mode, under load, nothing is split, and what is refused says why',
    async (mode) => {
      const pooler = closedAfterTest(await startPooler(server, mode));
      operator.env.BOTCTL_JOURNAL = pooler.through(journal);
      const load = closedAfterTest(await startLoad(pooler.through(journal)));
      const names = Array.from({ length: 8 }, (_none, number) => `bill-${number}`);
      const runs: Said[] = [];
      for (let at = 0; at < names.length; at += 4)
        runs.push(
          ...(await Promise.all(names.slice(at, at + 4).map((name) => operator.jsonApart(pay(name))))),
        );
      await load.close();
      const refusals = runs.flatMap(({ error }) => (error === undefined ? [] : [error.message]));
      expect(refusals.length).toBeGreaterThan(0);
      expect(refusals.filter((said) => !said?.includes('A pooler in front of the journal'))).toEqual([]);
      await expectWholeJournal();
    },
    60_000,
  );

  test.skipIf(pgbouncer === undefined)(
    'in transaction mode, which is noticed only when the reply comes, the payment is made once',
    async () => {
      const pooler = closedAfterTest(await startPooler(server));
      const gate = closedAfterTest(await startGate(operator.sandbox.baseUrl));
      Object.assign(operator.env, {
        BOTCTL_JOURNAL: pooler.through(journal),
        BOTCTL_BASE_URL: gate.baseUrl,
      });
      const held = gate.holdNext('request');
      const paying = operator.jsonApart(pay('rent'));
      await held;
      const load = closedAfterTest(await startLoad(pooler.through(journal)));
      gate.release();
      expect([0, 9]).toContain((await paying).exit);
      await load.close();
      operator.env.BOTCTL_JOURNAL = journal;
      expect(await operator.json(pay('rent'))).toMatchObject({ exit: 0, outcome: 'accepted' });
      expect(await operator.sandbox.ledger({ kind: 'transfer' })).toHaveLength(1);
    },
    60_000,
  );
});

test('a commit that another process of the server would make is refused, and nothing is sent', async () => {
  const pooler = closedAfterTest(await startPretendPooler(server));
  operator.env.BOTCTL_JOURNAL = pooler.through(journal);
  const refused = await operator.json(pay('rent'));
  expect(refused).toMatchObject({ exit: 1, error: { code: 'journal-schema', retry: 'after-fix' } });
  expect(refused.error?.message).toContain('A pooler in front of the journal');
  expect(await operator.sandbox.ledger({ kind: 'transfer' })).toEqual([]);
});

type Load = { close(): Promise<void> };

/** Others who keep all of the pooler's connections turning. */
async function startLoad(url: string): Promise<Load> {
  let isOver = false;
  const busy = Array.from({ length: 6 }, async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    while (!isOver) await client.query('SELECT pg_sleep(0.002)');
    await client.end();
  });
  return {
    close: async () => {
      isOver = true;
      await Promise.all(busy);
    },
  };
}
