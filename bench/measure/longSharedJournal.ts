import { rejectIn } from './longJournal.ts';
import { newJournal, type SharedScene, withClient } from './sharedScene.ts';

const rare = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';

/** The same varied journal on a server; gives back its URL. */
export async function makeVariedSharedJournal(
  scene: Pick<SharedScene, 'newDatabase'>,
  entries: number,
): Promise<string> {
  const url = await newJournal(scene);
  await changeTables(url, fill(entries, Date.now() - entries * 1000));
  return url;
}

/** All but the oldest were rejected: what was accepted is few, and far from where the history begins. */
export function rejectAllButTheOldest(url: string): Promise<void> {
  return changeTables(url, rejectIn('botctl.entries'));
}

function changeTables(url: string, sql: string): Promise<void> {
  return withClient(url, async (client) => {
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off; ${sql}`);
    await client.query('VACUUM ANALYZE');
  });
}

const fill = (entries: number, from: number): string => `
  INSERT INTO botctl.entries (id, kind, base_url, bot, named_by, name, row_id, key, identity, fingerprint, payment,
    body, created_at, updated_at, reported_at, attempts, state, why, was_in_doubt, in_doubt_since,
    tried_at)
  SELECT substr(md5('i' || n), 1, 12), CASE WHEN pays THEN 'transfer' ELSE 'message' END, 'https://bots.example',
    CASE WHEN rare THEN 'rare' ELSE 'bench' END, CASE WHEN rare THEN 'once' WHEN pays THEN 'row' END,
    CASE WHEN rare THEN 'rent-' || n WHEN pays THEN 'payroll' END, CASE WHEN pays AND NOT rare THEN 'row-' || n END,
    md5('k' || n), sha256(('d' || n)::bytea)::text, sha256(('f' || n)::bytea)::text,
    CASE WHEN pays THEN '["' || recipient || '","sol","0.01"]' END,
    convert_to(CASE WHEN pays THEN '{"to_address":"' || recipient || '","asset":"SOL","amount":"0.01"}'
      ELSE '{"conversation_id":"conv_demo","content":"message ' || n || '"}' END, 'UTF8'), ${from} + n * 1000::bigint,
    ${from} + n * 1000::bigint + 200, ${from} + n * 1000::bigint + 210, 1,
    CASE WHEN n % 5000 = 0 THEN 'held' ELSE 'accepted' END, CASE WHEN n % 5000 = 0 THEN 'no-proof' END,
    (n % 5000 = 0)::int, CASE WHEN n % 5000 = 0 THEN ${from} + n * 1000::bigint END, CASE WHEN pays THEN ${from} + n * 1000::bigint END
  FROM (SELECT n, n <= ${entries / 2} OR n > ${entries - 20} AND n % 4 = 0 AS pays, n <= 30 AS rare,
    CASE WHEN n <= 30 THEN '${rare}' ELSE lpad((n % 1000)::text, 43, '0') END AS recipient
    FROM generate_series(1, ${entries}) n) numbers ORDER BY n;
  INSERT INTO botctl.attempts (entry, number, started_at, ended_at, phase, verdict, status, reply, headers)
  SELECT seq, 1, created_at, created_at + 200, 'replied', 'accepted', 200,
    convert_to('{"message":{"message_id":"msg_' || seq || '","conversation_id":"conv_demo"}}', 'UTF8'), '{}'
  FROM botctl.entries`;
