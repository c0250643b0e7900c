import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/postgres/handshake.ts';
import { grantsSql } from '../../src/postgres/upkeep.ts';
import type { Version } from '../../testing/postgres/binaries.ts';
import { sharedServer } from '../../testing/postgres/server.ts';

const schema = 'bot "ctl"';
const at = '"bot ""ctl"""';

describe.each<Version>([18, 15])('the catalogue of PostgreSQL %i', (version) => {
  let client: Client;
  beforeAll(async () => {
    const server = await sharedServer(version);
    client = new Client({ connectionString: await server.newDatabase() });
    await client.connect();
    await migrate(client, schema, randomBytes);
  });
  afterAll(() => client.end());

  test('says what the payments for people are, column by column', async () => {
    const { rows } = await client.query<{ name: string; says: string | null }>(
      `SELECT concat_ws('.', c.relname, a.attname) AS name,
          CASE WHEN a.attnum IS NULL THEN obj_description(c.oid, 'pg_class') ELSE col_description(c.oid, a.attnum) END AS says
        FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'v'
      UNION ALL SELECT c.relname, obj_description(c.oid, 'pg_class') FROM pg_class c
        WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'v'`,
      [at],
    );
    expect(rows).toHaveLength(10);
    expect(rows.filter(({ says }) => says === null || says === '').map(({ name }) => name)).toEqual([]);
  });

  test('has each transfer in a view, which an auditor may read', async () => {
    const body = Buffer.from('{"to_address":"Ada","asset":"USDC","amount":"1.50"}');
    await client.query(
      `DO $$ BEGIN CREATE ROLE described_auditor; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    );
    await client.query('BEGIN');
    const begin = async (name: string, row: string | null, kind: string, payment: string | null) => {
      await client.query(
        `INSERT INTO ${at}.intents (id, kind, base_url, bot, named_by, name, row_id, key, identity, fingerprint, payment,
            body, created_at, updated_at, state, owner, counts_at)
          VALUES ($1, $2, 'u', 'payer', 'once', $3, $4, $1, $1, 'f', $5, $6, 1763769600000, 1763769600000, 'sending', 'o',
            CASE $2 WHEN 'transfer' THEN 1763769600000 END)`,
        [`${kind}-${name}`, kind, name, row, payment, body],
      );
    };
    await client.query(
      `INSERT INTO ${at}.owners (id, host, pid, begun_at, renewed_at) VALUES ('o', 'h', 1, 1, 1)`,
    );
    await begin('rent', null, 'transfer', '["Ada","usdc","1.5"]');
    await begin('hello', null, 'message', null);
    await begin('payroll', 'row-1', 'transfer', '["Ada","usdc","1.5"]');
    await begin('doubt', null, 'transfer', '["Ada","usdc","1.5"]');
    await client.query(
      `UPDATE ${at}.intents SET state = 'unknown', tainted = 1, owner = NULL WHERE name = 'doubt'`,
    );
    await client.query(`INSERT INTO ${at}.decisions (intent, kind, who, at, reason, signature) SELECT seq, k, 'w', 1, 'r', s
      FROM ${at}.intents, (VALUES ('happened', 'sig-2'), ('happened', 'sig-3'), ('happened', NULL)) AS said (k, s) WHERE name = 'doubt'`);
    await client.query(`INSERT INTO ${at}.attempts (intent, number, started_at)
      SELECT seq, 1, 1 FROM ${at}.intents WHERE name = 'rent'`);
    await client.query(`UPDATE ${at}.attempts SET ended_at = 2, phase = 'replied', verdict = 'accepted'`);
    await client.query(`UPDATE ${at}.intents SET state = 'accepted', owner = NULL WHERE name = 'rent'`);
    await client.query(`INSERT INTO ${at}.receipts (intent, origin, what, value) SELECT seq, 'u', 'signature', 'sig-1' FROM ${at}.intents
      WHERE name = 'rent'`);
    await client.query(`INSERT INTO ${at}.observations (intent, verdict, who, at, facts)
      SELECT seq, v, 'w', 1, '{}' FROM ${at}.intents, (VALUES ('undecided'), ('likely'), ('acknowledged'), ('before')) AS seen (v) WHERE name = 'rent'`);
    await client.query(grantsSql(schema, 'described_auditor', 'look').replace(/^(?:BEGIN|COMMIT);$/gmu, ''));
    await client.query('SET LOCAL ROLE described_auditor');
    const { rows } = await client.query(`SELECT * FROM ${at}.payments ORDER BY name DESC`);
    await client.query('ROLLBACK');
    const shared = {
      time: new Date(1763769600000),
      ...{ bot: 'payer', recipient: 'Ada', asset: 'USDC', amount: '1.5' },
    };
    expect(rows).toEqual([
      { ...shared, state: 'accepted', name: 'rent', signature: 'sig-1', chain: 'likely' },
      { ...shared, state: 'sending', name: 'payroll row-1', signature: null, chain: null },
      { ...shared, state: 'unknown', name: 'doubt', signature: 'sig-3', chain: null },
    ]);
  });
});
