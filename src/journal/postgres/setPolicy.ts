import { mayNotSetPolicy } from '../../words/journalPolicy.ts';
import { codeOf } from './faults.ts';
import type { ServerFacts } from './hello.ts';
import type { Line } from './line.ts';
import { inSchema } from './migrations.ts';
import { refuseSchema } from './schemaCheck.ts';
import { setPolicy as sql } from './spendingStep.ts';

type Target = {
  readonly line: Line;
  readonly schema: string;
  readonly place: string;
  readonly server: ServerFacts;
};

/**
 * From now on all who send through the journal are held to this policy; with the first one it begins to count. What is
 * being claimed meanwhile is waited for: it counts too.
 */
export async function setPolicy(
  { line, schema, place, server }: Target,
  text: string,
  who: string,
): Promise<number> {
  await refuseSchema(line, schema, place);
  const run = (statement: string, values: unknown[] = []): ReturnType<Line['query']> =>
    line.query(inSchema(schema, statement), values);
  try {
    await run('BEGIN');
    await run('SET LOCAL synchronous_commit = on');
    await run(sql.alone);
    if ((await run(sql.isCounting)).rows.length === 0) {
      await run(sql.seedSpending, [server.nowMs]);
      await run(sql.seedPaid);
      await run(sql.start, [server.nowMs]);
    }
    const { rows } = await run(sql.add, [text, who, server.nowMs]);
    await run('COMMIT');
    return Number(rows[0]?.seq);
  } catch (error) {
    await line.query('ROLLBACK').catch(() => line.destroy());
    throw codeOf(error) === '42501' ? mayNotSetPolicy(place, error) : error;
  }
}
