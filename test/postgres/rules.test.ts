// The rules that a server alone has: of owners, roles, and of who reaches past the schema.
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../src/postgres/handshake.ts';
import { beginning as beginningAt } from '../once/journal/contract/breaches.ts';
import type { Version } from '../support/postgres/binaries.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { tables } from '../support/postgres/sharedJournal.ts';

let client: Client;

async function openJournal(version: Version): Promise<void> {
  const server = await sharedServer(version);
  client = new Client({ connectionString: await server.newDatabase() });
  await client.connect();
  await migrate(client, 'botctl');
  await client.query(`SET search_path = botctl;
    INSERT INTO owners (id, host, pid, begun_at, renewed_at, ended_at)
    VALUES ('o', 'h', 1, 1, 1, NULL), ('p', 'h', 2, 1, 1, NULL), ('gone', 'h', 3, 1, 1, 2);`);
}

async function run(sql: string): Promise<void> {
  await client.query(sql);
}

/** Whatever is refused leaves nothing behind, and the journal as it was. */
async function refused(sql: string, sentence: string): Promise<void> {
  await run('SAVEPOINT before');
  await expect(run(sql)).rejects.toThrow(sentence);
  await run('ROLLBACK TO before');
}

const beginning = (changes: Readonly<Record<string, string>> = {}): string =>
  beginningAt(changes).replaceAll('@body', `'{}'`);
const attempt = 'INSERT INTO attempts (entry, number, started_at) VALUES (1, 1, 1)';
const decision = `INSERT INTO decisions (entry, kind, who, at, reason) VALUES (1, 'happened', 'w', 1, 'r')`;
const open = `UPDATE entries SET state = 'open', owner = NULL`;

describe.each<Version>([18, 15])('on PostgreSQL %i', (version) => {
  beforeAll(() => openJournal(version));
  afterAll(() => client.end());
  beforeEach(() => run('BEGIN'));
  afterEach(() => run('ROLLBACK'));

  test.each(['gone', 'nobody'])('%s claims nothing: it has ended or never began', async (owner) => {
    await refused(beginning({ owner: `'${owner}'` }), 'who has ended claims nothing');
    await run(beginning());
    await run(open);
    await refused(`UPDATE entries SET state = 'sending', owner = '${owner}'`, 'who has ended claims nothing');
  });

  test('no attempt is begun by an owner that has ended', async () => {
    await run(beginning());
    await run(`UPDATE owners SET ended_at = 3 WHERE id = 'o'`);
    await refused(attempt, 'who has ended attempts nothing');
  });

  test.each([
    ['does not live again', `ended_at = NULL WHERE id = 'gone'`, 'an owner ends once'],
    ['is not renewed', `renewed_at = 9 WHERE id = 'gone'`, 'an owner ends once'],
    ['was of one process', `pid = 9 WHERE id = 'o'`, 'an owner stays who it is'],
  ])('an owner that ended %s', async (_how, change, sentence) => {
    await refused(`UPDATE owners SET ${change}`, sentence);
  });

  test('each of many moves as if it were alone', async () => {
    await run(beginning());
    await run(open);
    await run(beginning({ seq: '2', id: `'j'`, key: `'k2'` }));
    const resolving = `UPDATE entries SET state = 'resolved', resolved_as = 'happened', owner = NULL`;
    await refused(resolving, 'no entry moves between these states');
    const { rows } = await client.query('SELECT state FROM entries ORDER BY seq');
    expect(rows).toEqual([{ state: 'open' }, { state: 'sending' }]);
  });

  test('a decision is made in the role that connects, or in none that is known', async () => {
    await run(beginning());
    const inRole = (role: string): string =>
      decision.replace('reason)', 'reason, role)').replace(`'r')`, `'r', ${role})`);
    await refused(inRole(`'somebody else'`), 'a decision is made in one’s own role');
    await run(inRole('NULL'));
    await run(inRole('session_user'));
    await run(decision);
  });

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
    await run(beginning());
    await run(attempt);
    const again = attempt.replace('1, 1, 1', '1, 1, 9');
    await refused(
      `${again} ON CONFLICT (entry, number) DO UPDATE SET started_at = 9`,
      'stays where it began',
    );
  });

  test('what a temporary table or an operator shadows is not what is checked', async () => {
    await run(beginning());
    await run(open);
    await run(`CREATE TEMPORARY TABLE attempts AS SELECT max(seq) AS entry, 'accepted' AS verdict FROM entries;
      CREATE TEMPORARY TABLE entries (seq bigint, named_by text); SET LOCAL search_path = pg_temp, botctl`);
    await refused(`UPDATE botctl.entries SET state = 'accepted'`, 'only an accepted attempt');
    const { rows } =
      await client.query(`SELECT proname FROM pg_proc WHERE pronamespace = 'botctl'::regnamespace
      AND NOT coalesce(array_to_string(proconfig, ','), '') LIKE 'search_path=%botctl%, pg_temp'`);
    expect(rows).toEqual([]);
  });
});
