import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { changes, questions } from '../../src/once/journal/verbs.ts';
import { session } from '../../src/postgres/handshake.ts';
import { cellsOf, turn } from '../../src/postgres/sql.ts';
import { newJournal, type SharedScene, withClient } from './sharedScene.ts';
import { homeIn } from './stage.ts';
import { type Line, memoryLine } from './table.ts';
import { median } from './timing.ts';
import { runBotctl, type WholeRun } from './wholeRun.ts';

type Asked = { readonly name: string /** On the server. */; readonly ms: number };

const fewIntents = 10_000;
/** The only statement that looks at all; the doctor asks it for a monitor, nothing that sends does. */
const countsAll = 'stateCounts';

/** A journal of so many intents, put straight into its tables: one in a thousand is being sent, one is unknown. */
export async function measureMillion(scene: SharedScene, intents: number): Promise<Line[]> {
  const url = await newJournal(scene);
  const asked = await withClient(url, async (client) => {
    await fill(client, intents);
    return timeStatements(client, intents);
  });
  const env = { ...homeIn(scene.folder), ...scene.env, BOTCTL_JOURNAL: url };
  const history = (limit: number): Promise<WholeRun> =>
    runBotctl(['history', '--limit', String(limit), '--json'], env);
  const [slowest] = asked.filter(({ name }) => name !== countsAll);
  const count = asked.find(({ name }) => name === countsAll);
  return [
    {
      what: 'the slowest statement',
      figure: `${slowest?.ms.toFixed(2)} ms`,
      more: asked
        .slice(0, 5)
        .map(({ name, ms }) => `${name} ${ms.toFixed(2)}`)
        .join(', '),
      value: slowest?.ms ?? Number.NaN,
    },
    { what: 'the count of all entries, for a monitor', figure: `${count?.ms.toFixed(0)} ms` },
    memoryLine(
      'memory of history --json: all, beside 10,000',
      await history(intents),
      await history(fewIntents),
    ),
  ];
}

/** Half of them rows of batches, a thousand each; every eighth a transfer. Who sends lives: deaths are not measured. */
async function fill(client: Client, intents: number): Promise<void> {
  const from = Date.now() - intents * 1000;
  await client.query(`
    SET session_replication_role = replica; SET synchronous_commit = off;
    INSERT INTO botctl.owners VALUES ('o', 'h', 1, 1, ${Date.now() + 86_400_000});
    INSERT INTO botctl.intents (id, kind, base_url, bot, named_by, name, row_id, key, identity, fingerprint, payment,
      body, created_at, updated_at, reported_at, attempts, state, owner, tainted, counts_at)
    SELECT substr(md5('i' || n), 1, 12), CASE n % 8 WHEN 0 THEN 'transfer' ELSE 'message' END, 'https://bots.example',
      'bench', CASE n % 2 WHEN 0 THEN 'row' END, CASE n % 2 WHEN 0 THEN 'batch-' || n / 2000 END,
      CASE n % 2 WHEN 0 THEN 'r' || n END, md5('k' || n), sha256(('d' || n)::bytea)::text,
      sha256(('f' || n)::bytea)::text, CASE n % 8 WHEN 0 THEN sha256(('p' || n)::bytea)::text END,
      convert_to('{"content":"message ' || n || '","conversation_id":"conv_demo"}', 'UTF8'), ${from} + n * 1000::bigint,
      ${from} + n * 1000::bigint + 200, CASE WHEN n % 1000 <> 0 THEN ${from} + n * 1000::bigint + 210 END, 1,
      CASE n % 1000 WHEN 0 THEN 'sending' WHEN 500 THEN 'unknown' ELSE 'accepted' END,
      CASE WHEN n % 1000 = 0 THEN 'o' END, CASE n % 1000 WHEN 500 THEN 1 ELSE 0 END,
      CASE n % 8 WHEN 0 THEN ${from} + n * 1000::bigint END
    FROM generate_series(1, ${intents}) n;
    INSERT INTO botctl.attempts (intent, number, started_at, ended_at, phase, verdict, status, reply, headers)
    SELECT seq, 1, created_at, CASE WHEN seq % 1000 <> 0 THEN created_at + 200 END,
      CASE WHEN seq % 1000 <> 0 THEN 'replied' END, CASE WHEN seq % 1000 <> 0 THEN 'accepted' END, 200,
      convert_to('{"message":{"message_id":"msg_' || seq || '"}}', 'UTF8'), '{}' FROM botctl.intents;
    INSERT INTO botctl.receipts (intent, origin, what, value) SELECT seq, base_url, 'signature', md5('s' || seq) FROM botctl.intents
      WHERE kind = 'transfer';
    SET session_replication_role = origin; SET synchronous_commit = on`);
  await client.query('VACUUM ANALYZE');
}

/** What one statement is to be given differently. */
const others: Readonly<Record<string, Record<string, string | number>>> = {
  begin: { id: 'fresh', key: 'fresh', state: 'sending' },
  observe: { verdict: 'likely' },
};

/** Asked of an intent that is being sent, of one that is accepted and of one unknown; the slowest counts. Nothing stays. */
async function timeStatements(client: Client, intents: number): Promise<Asked[]> {
  await client.query(session.join(';'));
  const middle = Math.floor(intents / 2000) * 1000;
  const items = [middle, middle + 2, middle + 500].map(itemOf);
  const found: Asked[] = [];
  for (const [name, sql] of Object.entries({ ...questions, ...changes })) {
    const turned = turn(sql, 'botctl');
    const times: number[] = [];
    for (const item of items) {
      const cells = cellsOf(turned, { ...item, ...others[name] });
      times.push(await timeOne(client, turned.text, `'${JSON.stringify([cells])}'`));
    }
    found.push({ name, ms: Math.max(...times) });
  }
  return found.sort((left, right) => right.ms - left.ms);
}

async function timeOne(client: Client, sql: string, values: string): Promise<number> {
  const times: number[] = [];
  await client.query(`DEALLOCATE ALL; PREPARE asked AS ${sql}`);
  for (let round = 0; round < 9; round += 1) {
    await client.query('BEGIN');
    try {
      const { rows } = await client.query(
        `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE asked(${values})`,
      );
      times.push(rows[0]['QUERY PLAN'][0]['Execution Time']);
    } catch (error) {
      // What stands so is not changed so: the others can be.
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ZJ001' && code !== '23514') throw error;
    } finally {
      await client.query('ROLLBACK');
    }
  }
  return times.length === 0 ? 0 : median(times);
}

/** All that any statement asks for: each takes what it needs. */
function itemOf(n: number): Record<string, string | number | boolean | null> {
  const isTransfer = n % 8 === 0;
  const text = (letter: string): string => `${letter}${n}`;
  return {
    n: 0,
    id: idOf(n),
    key: md5(text('k')),
    word: idOf(n),
    behind: `${idOf(n).slice(0, 8)}\u{10ffff}`,
    baseUrl: 'https://bots.example',
    spelledUrl: 'https://bots.example',
    bot: 'bench',
    kind: isTransfer ? 'transfer' : 'message',
    namedBy: 'row',
    rows: 1,
    invalid: 0,
    skipped: 0,
    skippedInDoubt: 0,
    totals: '[]',
    beyond: '{}',
    name: `batch-${Math.floor(n / 2000)}`,
    rowId: text('r'),
    identity: 'd',
    fingerprint: 'f',
    payment: isTransfer ? 'p' : null,
    body: 'e30=',
    origin: 'https://bots.example',
    what: 'signature',
    value: md5(text('s')),
    since: 0,
    latestSince: 0,
    isOwn: 0,
    most: 3,
    limit: 100,
    batch: 'other',
    before: 'z',
    attempts: 1,
    countsAt: isTransfer ? Date.now() : null,
    createdAt: 0,
    seq: 0,
    lastAt: Date.now(),
    last: n,
    as: 'happened',
    hour: 1,
    units: '1',
    address: 'bench',
    owner: 'o',
    tokenHash: 't',
    at: Date.now(),
    number: 1,
    phase: 'replied',
    verdict: 'accepted',
    status: 200,
    requestId: null,
    trouble: null,
    retryAfter: null,
    duplicate: 0,
    verified: 1,
    reply: 'e30=',
    headers: '{}',
    state: 'rejected',
    why: null,
    who: 'bench',
    reason: 'bench',
    signature: null,
    genesis: null,
    instruction: null,
    facts: '{}',
    asset: 'SOL',
    recipient: 'bench',
    head: 'ben',
    tail: 'nch',
  };
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

function idOf(n: number): string {
  return md5(`i${n}`).slice(0, 12);
}
