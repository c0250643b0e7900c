import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../src/postgres/handshake.ts';
import { grantsSql } from '../../src/postgres/upkeep.ts';
import type { Version } from '../support/postgres/binaries.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { tables } from '../support/postgres/sharedJournal.ts';

const schema = 'bot "ctl"';
const at = '"bot ""ctl"""';

/** What runners do, each statement after the ones before it. */
const work: readonly (readonly [string, string])[] = [
  [
    'begins as an owner',
    `INSERT INTO ${at}.owners (id, host, pid, begun_at, renewed_at, timeline) VALUES ('o', 'h', 1, 1, 1, 1)`,
  ],
  ['renews its lease', `UPDATE ${at}.owners SET renewed_at = 2 WHERE id = 'o' AND ended_at IS NULL`],
  [
    'begins an entry with its first attempt',
    `INSERT INTO ${at}.entries (id, kind, base_url, bot, named_by, name, key, identity, fingerprint, payment, body,
       created_at, updated_at, attempts, state, owner, tried_at)
     VALUES ('i', 'transfer', 'u', 'b', 'once', 'n', 'k', 'd', 'f', '["r","sol","1"]', '{}', 1, 1, 1, 'sending', 'o', 1);
     INSERT INTO ${at}.attempts (entry, number, started_at) SELECT seq, 1, 1 FROM ${at}.entries`,
  ],
  ['looks at it and locks it', `SELECT * FROM ${at}.entries FOR UPDATE`],
  [
    'ends an attempt',
    `UPDATE ${at}.attempts SET ended_at = 2, phase = 'replied', verdict = 'rejected', status = 400, request_id = 'r',
      trouble = '{}', retry_after = 1, duplicate = 0, reply = '', headers = '{}'`,
  ],
  ['ends a claim', `UPDATE ${at}.entries SET state = 'rejected', owner = NULL, why = NULL, updated_at = 2`],
  [
    'gives what is rejected another body',
    `UPDATE ${at}.entries SET body = '[]', fingerprint = 'g', payment = '["r","sol","2"]', bot = 'c'`,
  ],
  [
    'claims it and begins another attempt',
    `UPDATE ${at}.entries SET state = 'sending', owner = 'o', attempts = 2, tried_at = 3, token_hash = 't';
     INSERT INTO ${at}.attempts (entry, number, started_at) SELECT seq, 2, 3 FROM ${at}.entries`,
  ],
  [
    'records a death',
    `UPDATE ${at}.attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 4 WHERE number = 2;
     UPDATE ${at}.entries SET state = 'unknown', owner = NULL; UPDATE ${at}.owners SET ended_at = 4`,
  ],
  [
    'decides',
    `INSERT INTO ${at}.decisions (entry, kind, who, at, reason) SELECT seq, 'happened', 'w', 5, 'r' FROM ${at}.entries;
     UPDATE ${at}.entries SET state = 'resolved', resolved_as = 'happened', in_doubt_since = NULL`,
  ],
  [
    'keeps a receipt',
    `INSERT INTO ${at}.receipts (entry, origin, what, value) SELECT seq, 'u', 'signature', 's' FROM ${at}.entries`,
  ],
  ['reports an outcome', `UPDATE ${at}.entries SET reported_at = 6`],
  ['closes the journal', `INSERT INTO ${at}.closings (who, reason) VALUES ('w', 'r')`],
  ['accepts a loss', `INSERT INTO ${at}.losses (who, at, detail) VALUES ('w', 7, 'd')`],
  [
    'keeps what the file of a batch asks for',
    `INSERT INTO ${at}.batches (base_url, kind, name, rows, invalid) VALUES ('u', 'transfer', 'n', 9, 0);
     UPDATE ${at}.batches SET rows = 8, invalid = 1`,
  ],
];

const forNobody: readonly (readonly [string, string])[] = [
  ['another version', `UPDATE ${at}.meta SET value = value WHERE name = 'journal-version'`],
  ['a note of its own', `INSERT INTO ${at}.meta VALUES ('durability', 'x')`],
  ['another key', `UPDATE ${at}.entries SET key = ''`],
  ['another decision', `UPDATE ${at}.decisions SET reason = ''`],
  ['another begin of an attempt', `UPDATE ${at}.attempts SET started_at = 0`],
  ['another process behind an owner', `UPDATE ${at}.owners SET host = 'x'`],
  ['a table', `CREATE TABLE ${at}.more (id int)`],
  ['a column', `ALTER TABLE ${at}.entries ADD COLUMN more int`],
  ['no triggers', `ALTER TABLE ${at}.entries DISABLE TRIGGER USER`],
  ['triggers that do not fire', 'SET session_replication_role = replica'],
  [
    'other rules',
    `CREATE OR REPLACE FUNCTION ${at}.refuse_always() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
  ],
  ...['entries', 'attempts', 'decisions', 'receipts', 'observations', 'losses', 'closings'].map(
    (table) => [`a number of its own in ${table}`, `INSERT INTO ${at}.${table} (seq) VALUES (9)`] as const,
  ),
  ...tables.map((table) => [`an empty ${table}`, `TRUNCATE ${at}.${table} CASCADE`] as const),
  ...tables.map((table) => [`fewer rows in ${table}`, `DELETE FROM ${at}.${table}`] as const),
];

describe.each<Version>([18, 15])('on PostgreSQL %i', (version) => {
  let client: Client;
  beforeAll(async () => {
    const server = await sharedServer(version);
    client = new Client({ connectionString: await server.newDatabase() });
    await client.connect();
    await client.query(`DO $$ BEGIN CREATE ROLE "run ""er";
      EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
    await migrate(client, schema);
    await client.query(grantsSql(schema, 'run "er'));
  });
  afterAll(() => client.end());
  beforeEach(() => client.query('BEGIN'));
  afterEach(() => client.query('ROLLBACK'));

  async function become(): Promise<void> {
    await client.query('SET LOCAL ROLE "run ""er"');
  }

  async function refused(sql: string): Promise<void> {
    await client.query('SAVEPOINT before');
    await expect(client.query(sql), sql).rejects.toThrow(/permission denied|must be owner/u);
    await client.query('ROLLBACK TO before');
  }

  test('who runs can do all that runners do', async () => {
    await become();
    for (const [what, statement] of work) await expect(client.query(statement), what).resolves.toBeDefined();
    const { rows } = await client.query(`SELECT state, payment, was_in_doubt FROM ${at}.entries`);
    expect(rows).toEqual([{ state: 'resolved', payment: '["r","sol","2"]', was_in_doubt: '1' }]);
  });

  test.each(forNobody)('who runs makes the journal no %s', async (_what, statement) => {
    await become();
    await refused(statement);
  });
});

test('the rights are given in one commit, or not at all', () => {
  const lines = grantsSql(schema, 'runner').split('\n');
  expect([lines[0], ...lines.slice(-2)]).toEqual(['BEGIN;', 'COMMIT;', '']);
});
