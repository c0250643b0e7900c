import { join } from 'node:path';
import { sharedFailure } from './facts.ts';
import { codeOf } from './faults.ts';
import { askJournal, type ServerFacts } from './hello.ts';
import type { Line } from './line.ts';
import { inSchema } from './migrations.ts';
import { Notes } from './notes.ts';
import { refuseLoss } from './sameServer.ts';
import { counts, happened, parts } from './schema/spending.ts';
import { refuseSchema } from './schemaCheck.ts';

/** Gives the journal its policy, and has it count from then on: of all that was claimed, none may be missed. */
export const policyStatements = {
  alone: 'LOCK TABLE @schema.standing IN SHARE ROW EXCLUSIVE MODE',
  add: 'INSERT INTO @schema.policies (text, who, at) VALUES ($1, $2, $3) RETURNING seq',
  isCounting: 'SELECT FROM @schema.counting',
  start: `INSERT INTO @schema.counting (one, since)
    SELECT 1, least($1::bigint, (SELECT min(created_at) FROM @schema.intents))`,
  seedSpending: `INSERT INTO @schema.spending (intent, asset, recipient, units, at)
    SELECT s.intent, ${parts('s.payment')},
      coalesce((SELECT max(a.started_at) FROM @schema.attempts a WHERE a.intent = s.intent), s.updated_at)
    FROM @schema.standing s
    WHERE s.payment IS NOT NULL AND s.updated_at >= $1::bigint - 72 * 3600000::bigint AND ${counts('s')} ORDER BY s.intent`,
  seedPaid: `INSERT INTO @schema.paid (address, head, tail, since)
    SELECT p.address, lower(left(p.address, 3)), lower(right(p.address, 3)), min(p.since)
    FROM (SELECT (s.payment::jsonb)->>0 AS address, s.created_at AS since FROM @schema.standing s
      WHERE s.payment IS NOT NULL AND ${happened('s')}) p GROUP BY p.address`,
} as const;

type Target = {
  readonly line: Line;
  readonly schema: string;
  readonly place: string;
  readonly server: ServerFacts;
  /** Where this machine keeps what it notes for itself. */
  readonly dataFolder: string;
};

/**
 * From now on all who send through the journal are held to this policy; with the first one it begins to count. What is
 * being claimed meanwhile is waited for: it counts too.
 */
export async function setPolicy(
  { line, schema, place, server, dataFolder }: Target,
  text: string,
  who: string,
): Promise<number> {
  if (server.isStandby) throw sharedFailure('unchanged-on-standby', { place });
  await refuseSchema(line, schema, place);
  const journal = await askJournal(line, schema);
  const notes = new Notes(join(dataFolder, 'shared', journal.id, 'notes'));
  await refuseLoss(line, schema, place, { server, journal }, notes);
  const run = (statement: string, values: unknown[] = []): ReturnType<Line['query']> =>
    line.query(inSchema(schema, statement), values);
  try {
    await line.begin('SET LOCAL synchronous_commit = on');
    await run(policyStatements.alone);
    if ((await run(policyStatements.isCounting)).rows.length === 0) {
      await run(policyStatements.seedSpending, [server.nowMs]);
      await run(policyStatements.seedPaid);
      await run(policyStatements.start, [server.nowMs]);
    }
    const { rows } = await run(policyStatements.add, [text, who, server.nowMs]);
    await run('COMMIT');
    const number = Number(rows[0]?.seq);
    notes.write({ what: 'policy', id: String(server.nowMs), number });
    return number;
  } catch (error) {
    await line.query('ROLLBACK').catch(() => line.destroy());
    throw codeOf(error) === '42501' ? sharedFailure('may-not-set-policy', { place }, error) : error;
  } finally {
    notes.close();
  }
}
