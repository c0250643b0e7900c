import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { openJournal } from '../../src/journal/sqlite/openJournal.ts';

/** A journal of so many accepted messages, put straight into its tables: as botctl it would take a day. */
export async function makeJournal(path: string, intents: number): Promise<void> {
  await openJournal(path).close();
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const guards = triggersOf(database);
  for (const { name } of guards) database.exec(`DROP TRIGGER ${name}`);
  database.prepare(insertIntents).run({ intents, from: Date.now() - intents * 1000 });
  database.exec(insertAttempts);
  for (const { sql } of guards) database.exec(sql);
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

function triggersOf(database: DatabaseSyncInstance): { name: string; sql: string }[] {
  const triggers = database.prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`);
  return triggers.all() as { name: string; sql: string }[];
}

const insertIntents = `
  WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < :intents)
  INSERT INTO intents (id, kind, base_url, bot, key, identity, fingerprint, body, state, attempts,
    created_at, updated_at, reported_at)
  SELECT lower(hex(randomblob(6))), 'message', 'https://bots.example', 'bench',
    lower(hex(randomblob(16))), lower(hex(randomblob(32))), lower(hex(randomblob(32))),
    CAST('{"conversation_id":"conv_demo","content":"message ' || n || '"}' AS BLOB), 'accepted', 1,
    :from + n * 1000, :from + n * 1000 + 200, :from + n * 1000 + 210
  FROM numbers`;

const insertAttempts = `
  INSERT INTO attempts (intent, number, started_at, ended_at, phase, verdict, status, reply, headers)
  SELECT seq, 1, created_at, updated_at, 'replied', 'accepted', 200,
    CAST('{"message":{"message_id":"msg_' || seq || '","conversation_id":"conv_demo"}}' AS BLOB), '{}'
  FROM intents`;
