import { join } from 'node:path';
import { mayNotSetPolicy } from '../../words/journalPolicy.ts';
import { codeOf } from './faults.ts';
import { askJournal, type ServerFacts } from './hello.ts';
import type { Line } from './line.ts';
import { inSchema } from './migrations.ts';
import { Notes } from './notes.ts';
import { refuseLoss } from './sameServer.ts';
import { refuseSchema } from './schemaCheck.ts';
import { setPolicy as sql } from './spendingStep.ts';

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
  await refuseSchema(line, schema, place);
  const journal = await askJournal(line, schema);
  const notes = new Notes(join(dataFolder, 'shared', journal.id, 'notes'));
  await refuseLoss(line, schema, place, { server, journal }, notes);
  const run = (statement: string, values: unknown[] = []): ReturnType<Line['query']> =>
    line.query(inSchema(schema, statement), values);
  try {
    await line.begin('SET LOCAL synchronous_commit = on');
    await run(sql.alone);
    if ((await run(sql.isCounting)).rows.length === 0) {
      await run(sql.seedSpending, [server.nowMs]);
      await run(sql.seedPaid);
      await run(sql.start, [server.nowMs]);
    }
    const { rows } = await run(sql.add, [text, who, server.nowMs]);
    await run('COMMIT');
    const number = Number(rows[0]?.seq);
    notes.write({ what: 'policy', id: String(server.nowMs), number });
    return number;
  } catch (error) {
    await line.query('ROLLBACK').catch(() => line.destroy());
    throw codeOf(error) === '42501' ? mayNotSetPolicy(place, error) : error;
  } finally {
    notes.close();
  }
}
