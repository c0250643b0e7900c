import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Selection } from '../../src/once/journal/journal.ts';
import { migrate, session } from '../../src/postgres/handshake.ts';
import { pageQueries } from '../../src/postgres/reading.ts';
import { inPlace, type StatementName, sqlOf, statements } from '../../src/postgres/statements.ts';
import type { Version } from '../../testing/postgres/binaries.ts';
import { sharedServer } from '../../testing/postgres/server.ts';

const rows = 64;

function beginning(from: number, to: number): string {
  return `WITH begun AS (INSERT INTO botctl.intents (id, kind, base_url, bot, named_by, name, key, identity, fingerprint,
      payment, body, created_at)
    SELECT 'i' || n, 'transfer', 'u', 'b', 'row', 'n', 'k' || n, 'd' || n, 'f', 'p' || n, '{}', n
    FROM generate_series(${from}, ${to}) n RETURNING seq, created_at, payment),
  stands AS (INSERT INTO botctl.standing (intent, created_at, updated_at, attempts, payment, state, owner)
    SELECT seq, created_at, created_at, 1, payment, 'sending', 'o' FROM begun)
  INSERT INTO botctl.attempts (intent, number, started_at) SELECT seq, 1, created_at FROM begun`;
}

const those = (column: string, from: number, to: number): string =>
  `${column} = ANY (ARRAY(SELECT generate_series(${from}, ${to})))`;

const ending = (from: number, to: number, verdict = 'accepted'): string =>
  `UPDATE botctl.attempts SET verdict = '${verdict}', phase = 'replied', ended_at = 2 WHERE ${those('intent', from, to)}`;

const concluding = (from: number, to: number, state = 'accepted'): string =>
  `UPDATE botctl.standing SET state = '${state}', owner = NULL WHERE ${those('intent', from, to)}`;

/** Each of these makes the triggers ask another table about each of the rows. */
const steps: readonly (readonly [string, (from: number, to: number) => string])[] = [
  ['begin', beginning],
  ['end an attempt', ending],
  ['conclude', concluding],
  [
    'keep a receipt',
    (from, to) =>
      `INSERT INTO botctl.receipts SELECT n, 'u', 'signature', 's' || n FROM generate_series(${from}, ${to}) n`,
  ],
  ['report', (from, to) => `UPDATE botctl.standing SET reported_at = 3 WHERE ${those('intent', from, to)}`],
];

describe.each<Version>([18, 15])('on PostgreSQL %i', (version) => {
  let client: Client;
  beforeAll(async () => {
    const server = await sharedServer(version);
    client = new Client({ connectionString: await server.newDatabase() });
    await client.connect();
    await migrate(client, 'botctl', randomBytes);
    await client.query(`INSERT INTO botctl.owners VALUES ('o', 'h', 1, 1, 1);
      SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`);
    // What the triggers ask is planned now, while there is nothing.
    for (const [, step] of steps) await client.query(step(1, 1));
    await client.query(`${beginning(2, 2)}; ${ending(2, 2, 'unknown')}; ${beginning(3, 3)}; ${ending(3, 3, 'rejected')};
      ${concluding(3, 3, 'rejected')}; INSERT INTO botctl.rewrites VALUES (3, 2, 'g', 'q', '[]');
      UPDATE botctl.standing SET body_version = 2, payment = 'q' WHERE intent = 3;
      UPDATE botctl.standing SET state = 'sending', owner = 'o' WHERE intent = 3`);
    await client.query(`${beginning(4, 5000)}; ${ending(4, 4000)}; ${concluding(4, 4000)}`);
  });
  afterAll(() => client.end());

  type Reads = { readonly scans: number; readonly fetched: number };

  async function readsYet(): Promise<Reads> {
    const { rows: found } =
      await client.query(`SELECT sum(seq_scan)::int AS scans, sum(idx_tup_fetch)::int AS fetched
      FROM pg_stat_xact_user_tables WHERE schemaname = 'botctl'`);
    return found[0];
  }

  /** How much a statement and its triggers read of the tables: whole scans, and rows by an index. */
  async function reads(statements: string): Promise<Reads> {
    await client.query('BEGIN');
    const before = await readsYet();
    await client.query(statements);
    const after = await readsYet();
    await client.query('ROLLBACK');
    return { scans: after.scans - before.scans, fetched: after.fetched - before.fetched };
  }

  const cases: readonly (readonly [string, string])[] = [
    ['begin', beginning(6001, 6000 + rows)],
    ['end attempts and conclude', `${ending(4001, 4000 + rows)}; ${concluding(4001, 4000 + rows)}`],
    ['end attempts in doubt', ending(4001, 4000 + rows, 'unknown')],
    ['keep receipts', steps[3]?.[1](4001, 4000 + rows) ?? ''],
    ['report', steps[4]?.[1](1001, 1000 + rows) ?? ''],
    [
      'give other bodies and claim',
      `${ending(4001, 4000 + rows, 'rejected')}; ${concluding(4001, 4000 + rows, 'rejected')};
       INSERT INTO botctl.rewrites SELECT n, 2, 'g', 'q', '[]' FROM generate_series(4001, ${4000 + rows}) n;
       UPDATE botctl.standing SET body_version = 2, payment = 'q' WHERE ${those('intent', 4001, 4000 + rows)};
       UPDATE botctl.standing SET state = 'sending', owner = 'o', attempts = 2 WHERE ${those('intent', 4001, 4000 + rows)};
       INSERT INTO botctl.attempts (intent, number, started_at)
         SELECT n, 2, 1 FROM generate_series(4001, ${4000 + rows}) n`,
    ],
  ];

  test.each(cases)(
    'to %s reads no whole table, and no more rows than it is about',
    async (_what, statements) => {
      const { scans, fetched } = await reads(statements);
      expect(scans).toBe(0);
      expect(fetched).toBeLessThan(rows * 20);
    },
  );

  test('the functions that pair old rows with new ones never compare each with each, whatever the session says', async () => {
    const { rows: loose } = await client.query(`SELECT proname FROM pg_proc
      WHERE pronamespace = 'botctl'::regnamespace AND prosrc LIKE '%JOIN old_rows%'
      AND NOT proconfig @> '{enable_nestloop=off,enable_hashjoin=on}'`);
    expect(loose).toEqual([]);
  });

  test('no function is compiled for the high price of what it forbids its plan', async () => {
    const { rows: compiled } = await client.query(`SELECT proname FROM pg_proc
      WHERE pronamespace = 'botctl'::regnamespace AND proconfig @> '{enable_seqscan=off}'
      AND NOT proconfig @> '{jit=off}'`);
    expect(compiled).toEqual([]);
  });

  test('a conclusion asks by the primary key, whatever index is of its state', async () => {
    const { rows: plan } = await client.query(`EXPLAIN UPDATE botctl.standing SET updated_at = 1
      WHERE intent = ANY ('{1,2,3}') AND state = 'sending' AND owner = 'o'`);
    expect(JSON.stringify(plan)).toContain('standing_pkey');
  });

  test('what is not accepted is found by its index, newest first', async () => {
    await client.query('ANALYZE botctl.standing');
    const { rows: plan } = await client.query(`EXPLAIN SELECT intent FROM botctl.standing
      WHERE (state <> 'accepted') IS TRUE AND state = 'sending' ORDER BY created_at DESC, intent DESC LIMIT 100`);
    expect(JSON.stringify(plan)).toContain('Scan Backward using standing_not_accepted');
  });
});

type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
};

/** Wherever a table is read otherwise than by a condition on one of its indexes. */
function wholeReads(node: PlanNode): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Cond': condition, Plans = [] } = node;
  const isRead = table !== undefined && type !== 'ModifyTable' && type !== 'Bitmap Heap Scan';
  const own = isRead && !(type.startsWith('Index') && condition !== undefined) ? [`${type} of ${table}`] : [];
  return [...own, ...Plans.flatMap(wholeReads)];
}

/** Which indexes are read. */
function indexesIn({ 'Index Name': index, Plans = [] }: PlanNode): string[] {
  return [...(index === undefined ? [] : [index]), ...Plans.flatMap(indexesIn)];
}

// Half of all intents, and all of one bot's: they are for pages of the history.
const unselective = ['intents_kind', 'intents_bot', 'intents_created'];
// Like a page: asked once, of what began lately, after a limit has refused.
const likeAPage = ['spenders'];

const narrowings: readonly Partial<Selection>[] = [
  {},
  { states: ['accepted'] },
  { states: ['sending', 'unknown'] },
  { kind: 'transfer' },
  { bot: 'b' },
  { sinceMs: 1, untilMs: 9 },
  { to: 'a' },
  { asset: 'sol' },
  { to: 'a', asset: 'sol', states: ['held'] },
  { nameStart: 'n' },
  { nameStart: 'n', oldestFirst: true },
  { states: ['unknown'], oldestFirst: true },
  { batch: 'n' },
  { batch: 'n', states: ['unknown', 'held'] },
  { to: 'a', states: ['unknown'], oldestFirst: true },
  { states: ['unknown'], kind: 'transfer', bot: 'b', sinceMs: 1, untilMs: 9 },
  { to: 'a', nameStart: 'n', batch: 'n', states: ['accepted'], kind: 'transfer', bot: 'b', sinceMs: 1 },
];

function quoted(value: unknown): string {
  return typeof value === 'number' ? String(value) : `'${Array.isArray(value) ? `{${value}}` : value}'`;
}

/** All that may be asked for a page: also how much there is that a way is for. */
function queriesOf(narrowing: Partial<Selection>): { sql: string; given: string }[] {
  return pageQueries({ limit: 20, ...narrowing }, [9, 9], 9)
    .flatMap(({ suits, ...query }) => [...(suits === undefined ? [] : [suits]), query])
    .map(({ sql, values }) => ({ sql: inPlace(sql, 'botctl'), given: values.map(quoted).join(', ') }));
}

const asked: readonly (readonly [string, string, string])[] = [
  ...(Object.keys(statements) as StatementName[])
    .filter((name) => name !== 'overview')
    .map((name) => [name, sqlOf(name, 'botctl'), `'[]'`] as const),
  ...narrowings.flatMap((narrowing) =>
    queriesOf(narrowing).map(
      ({ sql, given }) => [`page of ${JSON.stringify(narrowing)}`, sql, given] as const,
    ),
  ),
];

const knowledge = {
  'an empty journal of which nothing is known': '',
  'an empty journal, as the server has counted it': 'VACUUM ANALYZE',
  'a journal of three intents': `${beginning(1, 3)}; ANALYZE`,
  'a journal of thousands': `${beginning(4, 4000)}; ${ending(4, 3900)}; ${concluding(4, 3900)}; ANALYZE`,
} as const;

/** The index that finds the intents of a page in their order, or that counts them, for each way to it. */
const inOrderBy: readonly [Partial<Selection>, ...string[]][] = [
  [{}, 'intents_created'],
  [{ states: ['accepted'] }, 'intents_created'],
  [{ states: ['unknown'] }, 'standing_not_accepted'],
  [{ kind: 'message' }, 'intents_kind'],
  [{ kind: 'message', sinceMs: 1, untilMs: 9 }, 'intents_kind'],
  [{ kind: 'message', oldestFirst: true }, 'intents_kind'],
  [{ kind: 'message', bot: 'b' }, 'intents_bot'],
  [{ batch: 'n' }, 'intents_name'],
  [{ nameStart: 'n' }, 'intents_created', 'intents_name', 'intents_name', 'intents_name'],
  [{ batch: 'n', states: ['held'] }, 'standing_not_accepted', 'standing_not_accepted', 'intents_name'],
  [{ to: 'a', states: ['held'] }, 'standing_not_accepted', 'standing_not_accepted', 'intents_payment'],
  [{ to: 'a' }, 'intents_payment'],
];

/** What is planned once for a session must serve it however full the journal becomes. */
describe.each<Version>([18, 15])('every statement, as PostgreSQL %i plans it', (version) => {
  let client: Client;
  beforeAll(async () => {
    const server = await sharedServer(version);
    client = new Client({ connectionString: await server.newDatabase() });
    await client.connect();
    await migrate(client, 'botctl', randomBytes);
    await client.query(`INSERT INTO botctl.owners VALUES ('o', 'h', 1, 1, 1); ${session.join(';')}`);
  });
  afterAll(() => client.end());

  test.each(Object.entries(knowledge))(
    'for %s, reads by conditions on indexes only',
    async (_what, preparation) => {
      for (const step of preparation.split(';')) await client.query(step);
      // Of what is known to be empty each index costs the same; nobody counts what never changed but by hand.
      const isCounted = preparation === knowledge['an empty journal, as the server has counted it'];
      const found: string[] = [];
      for (const [name, sql, values] of asked) {
        await client.query(`DEALLOCATE ALL`);
        await client.query(`PREPARE p AS ${sql}`);
        const given = values === '' ? '' : `(${values})`;
        const { rows: plans } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE p${given}`);
        const plan = plans[0]['QUERY PLAN'][0].Plan;
        const unfit =
          name in statements && !isCounted && !likeAPage.includes(name)
            ? indexesIn(plan).filter((index) => unselective.includes(index))
            : [];
        found.push(...[...wholeReads(plan), ...unfit].map((read) => `${name}: ${read}`));
      }
      expect(found).toEqual([]);
    },
  );

  test('paidBefore reads what paid the same, and nothing else that went to the same address', async () => {
    await client.query(`DEALLOCATE ALL; PREPARE p AS ${sqlOf('paidBefore', 'botctl')}`);
    const { rows: plans } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE p('[]')`);
    const indexes = indexesIn(plans[0]['QUERY PLAN'][0].Plan).filter((index) => index.endsWith('payment'));
    expect(indexes).toEqual(['intents_payment', 'standing_late_payment']);
  });

  test.each<[Partial<Selection>, ...string[]]>(inOrderBy)(
    'a page of %j is found in its order',
    async (narrowing, ...indexes) => {
      // As the test before this one has left it: there are thousands.
      const found: string[][] = [];
      for (const { sql, given } of queriesOf(narrowing)) {
        await client.query(`DEALLOCATE ALL; PREPARE p AS ${sql}`);
        const { rows: plans } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE p${given && `(${given})`}`);
        found.push(indexesIn(plans[0]['QUERY PLAN'][0].Plan).filter((index) => !/pkey$/u.test(index)));
      }
      expect(found.map(([first]) => first)).toEqual(indexes);
    },
  );
});
