import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';

/**
 * A journal of so many entries, put straight into its tables: as botctl it would take a day. The older half is a payroll
 * of transfers to a thousand addresses, the newer half are messages; one entry in 5,000 is held; a few of the oldest have
 * a name, a bot and a recipient of their own. Of the 20 newest, which a list shows, every fourth is a transfer.
 */
export async function makeVariedJournal(path: string, entries: number): Promise<void> {
  await openJournal(path).close();
  changeTables(path, (database) => {
    database.prepare(insertVaried).run({ entries, from: Date.now() - entries * 1000 });
    database.exec(insertAttempts);
  });
}

/** Rejects all but the oldest in this table of entries. */
export const rejectIn = (table: string): string =>
  `UPDATE ${table} SET state = 'rejected', why = NULL, was_in_doubt = 0, in_doubt_since = NULL WHERE seq > 30`;

/** All but the oldest were rejected: what was accepted is few, and far from where the history begins. */
export async function rejectAllButTheOldest(path: string): Promise<void> {
  changeTables(path, (database) => database.exec(rejectIn('entries')));
}

function changeTables(path: string, change: (database: DatabaseSyncInstance) => void): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const guards = triggersOf(database);
  for (const { name } of guards) database.exec(`DROP TRIGGER ${name}`);
  change(database);
  for (const { sql } of guards) database.exec(sql);
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

function triggersOf(database: DatabaseSyncInstance): { name: string; sql: string }[] {
  const triggers = database.prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`);
  return triggers.all() as { name: string; sql: string }[];
}

const insertVaried = `
  WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < :entries),
  rows AS (SELECT n, n <= :entries / 2 OR n > :entries - 20 AND n % 4 = 0 AS pays, n <= 30 AS rare,
      CASE WHEN n <= 30 THEN '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z'
        ELSE printf('%043d', n % 1000) END AS recipient FROM numbers)
  INSERT INTO entries (id, kind, base_url, bot, named_by, name, row_id, key, identity, fingerprint, payment, body,
    state, was_in_doubt, in_doubt_since, why, attempts, created_at, updated_at, reported_at, tried_at)
  SELECT lower(hex(randomblob(6))), iif(pays, 'transfer', 'message'), 'https://bots.example', iif(rare, 'rare', 'bench'),
    CASE WHEN rare THEN 'once' WHEN pays THEN 'row' END, CASE WHEN rare THEN 'rent-' || n WHEN pays THEN 'payroll' END,
    iif(pays AND NOT rare, 'row-' || n, NULL),
    lower(hex(randomblob(16))), lower(hex(randomblob(32))), lower(hex(randomblob(32))),
    iif(pays, '["' || recipient || '","sol","0.01"]', NULL),
    CAST(iif(pays, '{"to_address":"' || recipient || '","asset":"SOL","amount":"0.01"}',
      '{"conversation_id":"conv_demo","content":"message ' || n || '"}') AS BLOB),
    iif(n % 5000 = 0, 'held', 'accepted'), n % 5000 = 0,
    iif(n % 5000 = 0, :from + n * 1000, NULL), iif(n % 5000 = 0, 'no-proof', NULL), 1,
    :from + n * 1000, :from + n * 1000 + 200, :from + n * 1000 + 210, iif(pays, :from + n * 1000, NULL)
  FROM rows`;

const insertAttempts = `
  INSERT INTO attempts (entry, number, started_at, ended_at, phase, verdict, status, reply, headers)
  SELECT seq, 1, created_at, updated_at, 'replied', 'accepted', 200,
    CAST('{"message":{"message_id":"msg_' || seq || '","conversation_id":"conv_demo"}}' AS BLOB), '{}'
  FROM entries`;
