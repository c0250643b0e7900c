import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { states } from '../../src/once/journal/columns.ts';
import type { State } from '../../src/once/journal/journal.ts';
import { migrate } from '../../src/postgres/handshake.ts';
import type { Version } from '../../testing/postgres/binaries.ts';
import { sharedServer } from '../../testing/postgres/server.ts';

let client: Client;

async function openJournal(version: Version): Promise<void> {
  const server = await sharedServer(version);
  client = new Client({ connectionString: await server.newDatabase() });
  await client.connect();
  await migrate(client, 'botctl', randomBytes);
  await client.query(`SET search_path = botctl;
    INSERT INTO owners (id, host, pid, begun_at, renewed_at, ended_at)
    VALUES ('o', 'h', 1, 1, 1, NULL), ('p', 'h', 2, 1, 1, NULL), ('gone', 'h', 3, 1, 1, 2);`);
}

async function run(sql: string): Promise<void> {
  await client.query(sql);
}

/** Whatever is refused leaves nothing behind, and the journal as it was. */
async function refused(sql: string, sentence: string | RegExp): Promise<void> {
  await run('SAVEPOINT before');
  await expect(run(sql)).rejects.toThrow(sentence);
  await run('ROLLBACK TO before');
}

type Row = Readonly<Record<string, string>>;
const intent: Row = {
  id: `'i'`,
  kind: `'message'`,
  base_url: `'u'`,
  bot: `'b'`,
  named_by: `'once'`,
  name: `'n'`,
  key: `'k'`,
  identity: `'d'`,
  fingerprint: `'f'`,
  body: `'{}'`,
  created_at: '1',
};
const stands: Row = { updated_at: '1', attempts: '1', state: `'sending'`, owner: `'o'` };

/** An intent, as the journal begins one. */
function beginning(ofIntent: Row = {}, ofStanding: Row = {}): string {
  const is = { ...intent, ...stands, ...ofIntent, ...ofStanding };
  return `INSERT INTO intents (${Object.keys(is)}) VALUES (${Object.values(is)})`;
}

const firstAttempt = 'INSERT INTO attempts (intent, number, started_at) SELECT max(seq), 1, 1 FROM intents';
const accepting = `UPDATE attempts SET verdict = 'accepted', phase = 'replied', ended_at = 2`;

function moving(state: State, resolvedAs = 'did-not-happen'): string {
  return `UPDATE intents SET state = '${state}',
    owner = ${state === 'sending' ? `'p'` : 'NULL'},
    resolved_as = ${state === 'resolved' ? `'${resolvedAs}'` : 'NULL'},
    tainted = ${state === 'unknown' || state === 'held' ? '1, may_have_landed_at = 1' : 'tainted'}`;
}

type Setup = { tainted?: boolean; resolvedAs?: 'happened' | 'did-not-happen' };

/** Brings an intent into a state by statements alone, on a way that the journal allows. */
async function bring(
  state: State,
  { tainted = false, resolvedAs = 'did-not-happen' }: Setup = {},
): Promise<void> {
  await run(beginning());
  await run(firstAttempt);
  if (tainted || state === 'unknown' || state === 'held')
    await run('UPDATE intents SET tainted = 1, may_have_landed_at = 1');
  if (state === 'sending') return;
  if (state === 'accepted') await run(accepting);
  const way =
    state === 'resolved'
      ? [tainted ? 'unknown' : 'open', 'resolved']
      : state === 'declined'
        ? ['open', 'declined']
        : [state];
  for (const step of way) await run(moving(step as State, resolvedAs));
}

async function stateNow(): Promise<unknown> {
  return (await client.query('SELECT state FROM intents')).rows[0]?.state;
}

// Written from the design, not from the schema.
const allowed: Record<State, readonly State[]> = {
  open: ['sending', 'resolved', 'declined', 'accepted'],
  sending: ['open', 'unknown', 'accepted', 'rejected', 'held'],
  unknown: ['sending', 'held', 'resolved', 'accepted'],
  accepted: [],
  rejected: ['sending', 'resolved', 'declined', 'accepted'],
  held: ['sending', 'resolved', 'accepted'],
  resolved: ['sending', 'accepted'],
  declined: ['accepted'],
};

describe.each<Version>([18, 15])('on PostgreSQL %i', (version) => {
  beforeAll(() => openJournal(version));
  afterAll(() => client.end());
  beforeEach(() => run('BEGIN'));
  afterEach(() => run('ROLLBACK'));

  describe('how an intent moves', () => {
    const pairs = states.flatMap((from) =>
      states.filter((to) => to !== from).map((to) => [from, to] as const),
    );

    test.each(pairs)('from %s to %s', async (from, to) => {
      await bring(from);
      if (to === 'accepted' && from !== 'accepted') await run(accepting);
      if (allowed[from].includes(to)) {
        await run(moving(to));
        expect(await stateNow()).toBe(to);
      } else {
        await refused(moving(to), /no intent moves between these states|check constraint/u);
        expect(await stateNow()).toBe(from);
      }
    });

    test.each(states)('never to a state that is none, from %s', async (from) => {
      await bring(from);
      await refused(
        `UPDATE intents SET state = 'done', owner = NULL, resolved_as = NULL`,
        'no intent moves between these states',
      );
    });

    test('to accepted only by an accepted attempt', async () => {
      await bring('unknown');
      await refused(moving('accepted'), 'only an accepted attempt makes an intent accepted');
      await run(accepting);
      await run(moving('accepted'));
      expect(await stateNow()).toBe('accepted');
    });

    test('to sending not where it happened', async () => {
      await bring('resolved', { resolvedAs: 'happened' });
      await refused(moving('sending'), 'what happened is not sent again');
    });

    test('from one owner to another only through unknown', async () => {
      await bring('sending');
      await refused(`UPDATE intents SET owner = 'p'`, 'a claim passes on only through unknown');
      await run(moving('unknown'));
      await run(moving('sending'));
    });

    test.each(['gone', 'nobody'])(
      'to sending for no owner that has ended or never began: %s',
      async (owner) => {
        await bring('open');
        await refused(
          `UPDATE intents SET state = 'sending', owner = '${owner}'`,
          'who has ended claims nothing',
        );
      },
    );

    test('each of many as if it were alone', async () => {
      await bring('open');
      await run(beginning({ id: `'j'`, key: `'k2'` }));
      await refused(moving('resolved'), 'no intent moves between these states');
      const { rows } = await client.query('SELECT id, state FROM intents ORDER BY seq');
      expect(rows).toEqual([
        { id: 'i', state: 'open' },
        { id: 'j', state: 'sending' },
      ]);
    });
  });

  describe('what may have landed', () => {
    test.each(['open', 'rejected'] as const)('is never %s again', async (state) => {
      await bring('sending', { tainted: true });
      await refused(moving(state), 'intents_check');
    });

    test.each(['unknown', 'held'])('is what %s means', async (state) => {
      await bring('sending');
      await refused(`UPDATE intents SET state = '${state}', owner = NULL`, 'intents_check');
    });

    test('stays so', async () => {
      await bring('sending', { tainted: true });
      await refused('UPDATE intents SET tainted = 0', 'a tainted intent stays tainted');
    });

    test.each(['unknown', 'held'])(
      'is what an attempt that ended %s makes of its intent',
      async (verdict) => {
        await bring('sending');
        await run(`UPDATE attempts SET verdict = '${verdict}', phase = 'sent', ended_at = 2`);
        const { rows } = await client.query('SELECT tainted, may_have_landed_at AS at FROM intents');
        expect(rows).toEqual([{ tainted: '1', at: '1' }]);
      },
    );

    test.each(['rejected', 'unsent', 'limited', 'accepted'])(
      'is not said of an attempt that ended %s',
      async (verdict) => {
        await bring('sending');
        await run(`UPDATE attempts SET verdict = '${verdict}', phase = 'replied', ended_at = 2`);
        expect((await client.query('SELECT tainted FROM intents')).rows).toEqual([{ tainted: '0' }]);
      },
    );
  });

  describe('what is written stays', () => {
    test.each([
      ['its id', `id = 'x'`],
      ['its key', `key = 'x'`],
      ['its identity', `identity = 'x'`],
      ['its base URL', `base_url = 'x'`],
      ['its kind', `kind = 'transfer'`],
      ['its name', `name = 'x'`],
      ['how it is named', `named_by = 'run'`],
      ['when it began', 'created_at = 0'],
    ])('an intent keeps %s', async (_what, change) => {
      await bring('open');
      await refused(`UPDATE intents SET ${change}`, 'an intent keeps its key and identity');
    });

    test.each([`row_id = 'x'`, `columns = 'x'`])('an intent keeps how it was given: %s', async (change) => {
      await bring('open');
      await refused(`UPDATE intents SET ${change}`, 'an intent keeps its key and identity');
    });

    test('an intent’s attempts are not uncounted', async () => {
      await bring('open');
      await run('UPDATE intents SET attempts = 2');
      await refused('UPDATE intents SET attempts = 1', 'attempts are not uncounted');
    });

    const rewriting = `UPDATE intents SET body = '[]', fingerprint = 'g'`;

    test.each<[State, Setup]>([
      ['sending', {}],
      ['unknown', {}],
      ['held', {}],
      ['accepted', {}],
      ['resolved', { tainted: true }],
      ['resolved', { resolvedAs: 'happened' }],
    ])('what is %s %j gets no other body', async (state, setup) => {
      await bring(state, setup);
      for (const change of [
        rewriting,
        `UPDATE intents SET body = '['`,
        `UPDATE intents SET fingerprint = 'g'`,
      ])
        await refused(change, 'the body of an intent is frozen');
    });

    test.each(['open', 'rejected', 'resolved'] as const)(
      'what is %s, and never may have landed, may get another',
      async (state) => {
        await bring(state);
        await run(rewriting);
        const { rows } = await client.query('SELECT body, fingerprint FROM intents');
        expect(rows).toEqual([{ body: Buffer.from('[]'), fingerprint: 'g' }]);
      },
    );

    test.each(['rejected', 'resolved'] as const)(
      'what is %s, and was ever proposed, gets no other',
      async (state) => {
        await bring(state);
        await run(`INSERT INTO decisions (intent, kind, who, at, reason)
          SELECT seq, 'proposed', 'w', 1, 'r' FROM intents`);
        await refused(rewriting, 'the body of an intent is frozen');
      },
    );

    test('when an outcome was first reported', async () => {
      await bring('accepted');
      await run('UPDATE intents SET reported_at = 5');
      await refused('UPDATE intents SET reported_at = 6', 'an outcome is first reported once');
      await refused('UPDATE intents SET reported_at = NULL', 'an outcome is first reported once');
    });

    test.each([
      ['another intent', 'intent = 99'],
      ['another number', 'number = 2'],
      ['another start', 'started_at = 0'],
    ])('an attempt gets no %s', async (_what, change) => {
      await bring('sending');
      await refused(`UPDATE attempts SET ${change}`, 'an attempt stays where it began');
    });

    test.each([`verdict = 'rejected'`, 'status = 500', `reply = ''`, 'verdict = NULL, ended_at = NULL'])(
      'an attempt that ended is not changed: %s',
      async (change) => {
        await bring('accepted');
        await refused(`UPDATE attempts SET ${change}`, 'an attempt ends once');
      },
    );

    test('an attempt whose process was thought dead may still end, once', async () => {
      await bring('sending');
      await run(`UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 2`);
      await refused('UPDATE attempts SET phase = NULL', 'an attempt ends once');
      await run(accepting);
      await refused(`UPDATE attempts SET verdict = 'rejected'`, 'an attempt ends once');
    });

    const second = (columns = '', values = ''): string =>
      `INSERT INTO attempts (intent, number, started_at${columns}) SELECT max(seq), 2, 1${values} FROM intents`;

    test('an attempt begins without a verdict', async () => {
      await bring('sending');
      await refused(
        second(', ended_at, verdict, phase', `, 2, 'accepted', 'replied'`),
        'an attempt begins without a verdict',
      );
    });

    test.each(states.filter((state) => state !== 'sending'))(
      'no attempt is begun where nobody sends: %s',
      async (state) => {
        await bring(state);
        await refused(second(), 'an attempt needs a claim');
      },
    );

    test('no attempt is begun by an owner that has ended', async () => {
      await bring('sending');
      await run(`UPDATE owners SET ended_at = 3 WHERE id = 'o'`);
      await refused(second(), 'who has ended attempts nothing');
    });

    test('an attempt belongs to an intent', async () => {
      const stray = 'INSERT INTO attempts (intent, number, started_at) VALUES (99, 1, 1)';
      await refused(stray, 'an attempt needs a claim');
    });

    const decision = `INSERT INTO decisions (intent, kind, who, at, reason) SELECT max(seq), 'happened', 'w', 1, 'r' FROM intents`;
    const receipt = `INSERT INTO receipts (intent, origin, what, value) SELECT max(seq), 'u', 'transfer-id', 'v' FROM intents`;

    test.each([`reason = ''`, `kind = 'send-again'`, `who = 'x'`, 'at = 2'])(
      'a decision stands: %s',
      async (change) => {
        await bring('unknown');
        await run(decision);
        await refused(`UPDATE decisions SET ${change}`, 'a decision stands as it was made');
      },
    );

    test('a decision is made in the role that connects, or in none that is known', async () => {
      await bring('unknown');
      const inRole = (role: string): string =>
        decision.replace('reason)', 'reason, role)').replace("'r' FROM", `'r', ${role} FROM`);
      await refused(inRole(`'somebody else'`), 'a decision is made in one’s own role');
      await run(inRole('NULL'));
      await run(inRole('session_user'));
      await run(decision);
    });

    test('a receipt is of one intent, and stands', async () => {
      await bring('accepted');
      await run(receipt);
      await run(beginning({ id: `'j'`, key: `'k2'` }));
      await refused(receipt, 'receipts_value_what_origin_key');
      await refused(
        receipt.replace('max(seq)', 'max(99)').replace(`'v'`, `'w'`),
        'a receipt belongs to an intent',
      );
      await refused(`UPDATE receipts SET value = 'w'`, 'a receipt stands as it was given');
    });

    test.each([
      ['does not live again', `ended_at = NULL WHERE id = 'gone'`, 'an owner ends once'],
      ['is not renewed', `renewed_at = 9 WHERE id = 'gone'`, 'an owner ends once'],
      ['was of one process', `pid = 9 WHERE id = 'o'`, 'an owner stays who it is'],
    ])('an owner that ended %s', async (_how, change, sentence) => {
      await refused(`UPDATE owners SET ${change}`, sentence);
    });

    test('the id of a journal stays, and its salt', async () => {
      await refused(
        `UPDATE meta SET value = '' WHERE name = 'journal-id'`,
        'a journal keeps its id and its salt',
      );
      await refused('UPDATE meta SET value = sha256(value)', 'a journal keeps its id and its salt');
    });

    const tables = [
      ...['meta', 'owners', 'intents', 'attempts'],
      ...['decisions', 'receipts', 'losses', 'batches', 'observations'],
    ];
    test.each(tables)('nothing is deleted from %s, nor all at once', async (table) => {
      await refused(`DELETE FROM ${table}`, 'nothing is deleted from the journal');
      await refused(`TRUNCATE ${table} CASCADE`, 'nothing is deleted from the journal');
    });

    test('these are all the tables there are', async () => {
      const { rows } = await client.query(`SELECT relname FROM pg_class
        WHERE relnamespace = 'botctl'::regnamespace AND relkind IN ('r', 'p')`);
      expect(rows.map(({ relname }) => relname).sort()).toEqual([...tables].sort());
    });

    test('nothing is replaced by an insert that meets its key', async () => {
      await bring('sending');
      await run(`${beginning()} ON CONFLICT DO NOTHING`);
      await refused(beginning(), 'intents_id_key');
      const again = `INSERT INTO attempts (intent, number, started_at) SELECT seq, 1, 9 FROM intents`;
      await refused(
        `${again} ON CONFLICT (intent, number) DO UPDATE SET started_at = 9`,
        'stays where it began',
      );
    });
  });

  describe('how an intent begins', () => {
    test('claimed and untainted', async () => {
      await run(beginning());
      expect(await stateNow()).toBe('sending');
    });

    test('or held for approval, with no attempt made', async () => {
      await run(beginning({}, { state: `'held'`, owner: 'NULL', why: `'approval'`, attempts: '0' }));
      expect(await stateNow()).toBe('held');
    });

    const begins = 'an intent begins claimed, or as a proposal, and untainted';
    test.each<[string, Row, Row, string | RegExp]>([
      ['in another state', {}, { state: `'open'`, owner: 'NULL' }, begins],
      ['accepted', {}, { state: `'accepted'`, owner: 'NULL' }, begins],
      ['tainted', {}, { tainted: '1' }, begins],
      ['held by a policy', {}, { state: `'held'`, owner: 'NULL', why: `'policy'`, attempts: '0' }, begins],
      ['held for something else', {}, { state: `'held'`, owner: 'NULL', attempts: '0' }, begins],
      ['claimed by an owner that has ended', {}, { owner: `'gone'` }, 'who has ended claims nothing'],
      ['without an owner', {}, { owner: 'NULL' }, 'intents_check'],
      ['with an empty key', { key: `''` }, {}, 'intents_key_check'],
      ['with an unknown kind', { kind: `'mail'` }, {}, 'intents_kind_check'],
      ['with a name that nothing gave', { named_by: 'NULL' }, {}, 'intents_check'],
      ['named by something unknown', { named_by: `'it'` }, {}, 'intents_named_by_check'],
      ['named by something without a name', { name: 'NULL' }, {}, 'intents_check'],
      ['a message with a payment', { payment: `'p'` }, {}, 'intents_check'],
      ['a transfer without a payment', { kind: `'transfer'` }, {}, 'intents_check'],
      ['resolved already', {}, { resolved_as: `'happened'` }, 'intents_check'],
      ['without a body', { body: 'NULL' }, {}, 'null value'],
    ])('never %s', async (_how, ofIntent, ofStanding, sentence) => {
      await refused(beginning(ofIntent, ofStanding), sentence);
      expect(await stateNow()).toBeUndefined();
    });

    test('never with a key that another one at the same place has', async () => {
      await run(beginning());
      await refused(beginning({ id: `'j'` }), 'intents_key');
      await run(beginning({ id: `'j'`, kind: `'transfer'`, payment: `'p'` }));
      await run(beginning({ id: `'l'`, base_url: `'v'` }));
    });
  });

  describe('a batch', () => {
    const batch = `INSERT INTO batches (base_url, kind, name, rows, invalid) VALUES ('u', 'message', 'n', 9, 0)`;

    test('is one by its name', async () => {
      await run(batch);
      await refused(batch, 'batches_pkey');
      await refused(`UPDATE batches SET name = 'm'`, 'a batch keeps its name');
    });
  });

  test('what a temporary table or an operator shadows is not what is checked', async () => {
    await bring('open');
    await run(`CREATE TEMPORARY TABLE attempts AS SELECT max(seq) AS intent, 'accepted' AS verdict FROM intents;
      CREATE TEMPORARY TABLE intents (seq bigint, named_by text); SET LOCAL search_path = pg_temp, botctl`);
    await refused(`UPDATE botctl.intents SET state = 'accepted'`, 'only an accepted attempt');
    const { rows } =
      await client.query(`SELECT proname FROM pg_proc WHERE pronamespace = 'botctl'::regnamespace
      AND NOT coalesce(array_to_string(proconfig, ','), '') LIKE 'search_path=%botctl%, pg_temp'`);
    expect(rows).toEqual([]);
  });
});
