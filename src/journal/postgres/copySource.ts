import { mayNotCopy, runnersAlive, sharedWasMoved } from '../../words/copyingBack.ts';
import { type CopiedIntent, pageLength } from '../copy/copied.ts';
import { decisionOf, observationOf, receiptOf } from '../rows.ts';
import { codeOf } from './faults.ts';
import type { JournalFacts } from './hello.ts';
import type { Line } from './line.ts';
import { inSchema } from './migrations.ts';
import { attemptOf, intentOf, type Row } from './rows.ts';
import { nowMs } from './serverTime.ts';

type Inputs = {
  readonly line: Line;
  readonly schema: string;
  readonly place: string;
  readonly journal: JournalFacts;
};

/** A shared journal that is copied into a file, and sends nothing more from then on. */
export class CopySource {
  readonly #inputs: Inputs;

  constructor(inputs: Inputs) {
    this.#inputs = inputs;
  }

  get salt(): Uint8Array | undefined {
    return this.#inputs.journal.salt;
  }

  get place(): string {
    return this.#inputs.place;
  }

  get isClosed(): boolean {
    return this.#inputs.journal.movedTo !== undefined;
  }

  async intents(): Promise<number> {
    return Number((await this.#rows('SELECT count(*) AS count FROM @schema.intents'))[0]?.count);
  }

  /** From now on nobody sends by it. Refused while somebody may: who is silent is dead only after a whole lease. */
  async close(movedTo: string, silentSinceMs: number): Promise<void> {
    const { line, place } = this.#inputs;
    await line.begin();
    try {
      // Nobody becomes an owner, or renews a lease, until it is over.
      await this.#rows('LOCK TABLE @schema.owners IN SHARE ROW EXCLUSIVE MODE');
      const [alive] = await this.#rows(countAlive, [silentSinceMs]);
      if (Number(alive?.count) > 0) throw runnersAlive(place, Number(alive?.count));
      for (const sql of recordDeaths) await this.#rows(sql);
      await this.#rows(`INSERT INTO @schema.meta (name, value) VALUES ('moved-to', convert_to($1, 'UTF8'))`, [
        movedTo,
      ]);
      await line.query('COMMIT');
    } catch (error) {
      if (!line.isBroken) await line.query('ROLLBACK');
      throw codeOf(error) === '42501' ? mayNotCopy(place, error) : error;
    }
  }

  /** Refuses a file that is not the one which took its place, once there is one. */
  async refuseAnother(movedTo: string): Promise<void> {
    const [row] = await this.#rows(
      `SELECT convert_from(value, 'UTF8') AS place FROM @schema.meta WHERE name = 'moved-whole'`,
    );
    if (row !== undefined && row.place !== movedTo)
      throw sharedWasMoved(this.#inputs.place, String(row.place));
  }

  /** Only one file ever takes its place. */
  async noteWhole(movedTo: string): Promise<void> {
    await this.#rows(
      `INSERT INTO @schema.meta (name, value) VALUES ('moved-whole', convert_to($1, 'UTF8')) ON CONFLICT (name) DO NOTHING`,
      [movedTo],
    );
    await this.refuseAnother(movedTo);
  }

  /** In the order in which they were begun. */
  async *pages(): AsyncGenerator<readonly CopiedIntent[]> {
    for (let after = 0; ; ) {
      const intents = await this.#rows(
        `SELECT * FROM @schema.intents_now WHERE seq > $1 ORDER BY seq LIMIT ${pageLength}`,
        [after],
      );
      const last = intents.at(-1)?.seq as number | undefined;
      if (last === undefined) return;
      yield await this.#whole(intents, after, last);
      after = last;
    }
  }

  async #whole(intents: readonly Row[], after: number, last: number): Promise<CopiedIntent[]> {
    const of = async (table: string, order: string): Promise<Map<unknown, Row[]>> => {
      const sql = `SELECT * FROM @schema.${table} WHERE intent > $1 AND intent <= $2 ORDER BY ${order}`;
      return byIntent(await this.#rows(sql, [after, last]));
    };
    const attempts = await of('attempts', 'intent, number');
    const decisions = await of('decisions', 'seq');
    const receipts = await of('receipts', 'intent');
    const observations = await of('observations', 'seq');
    return intents.map((row) => ({
      intent: intentOf({ ...row, tainted: row.tainted === 1 }, false),
      leftBehind: row.left_behind === 1,
      attempts: (attempts.get(row.seq) ?? []).map(attemptOf),
      decisions: (decisions.get(row.seq) ?? []).map(decisionOf),
      receipts: (receipts.get(row.seq) ?? []).map(receiptOf),
      observations: (observations.get(row.seq) ?? []).map(observationOf),
    }));
  }

  async #rows(sql: string, values: unknown[] = []): Promise<readonly Row[]> {
    const { line, schema } = this.#inputs;
    return (await line.query(inSchema(schema, sql), values)).rows;
  }
}

function byIntent(rows: readonly Row[]): Map<unknown, Row[]> {
  const grouped = new Map<unknown, Row[]>();
  for (const row of rows) {
    const same = grouped.get(row.intent);
    if (same === undefined) grouped.set(row.intent, [row]);
    else same.push(row);
  }
  return grouped;
}

const countAlive = `SELECT count(*) AS count FROM @schema.owners WHERE ended_at IS NULL AND renewed_at >= $1`;

/** Of all: nobody else is left who sends. */
const recordDeaths = [
  `UPDATE @schema.owners SET ended_at = ${nowMs} WHERE ended_at IS NULL`,
  `UPDATE @schema.attempts a SET verdict = 'unknown', phase = 'process-died', ended_at = ${nowMs},
     trouble = 'its process ended before the reply was recorded'
   FROM @schema.standing s WHERE s.intent = a.intent AND s.state = 'sending' AND a.verdict IS NULL`,
  `UPDATE @schema.standing SET state = 'unknown', owner = NULL, tainted = true, updated_at = ${nowMs},
     may_have_landed_at = coalesce(may_have_landed_at, updated_at) WHERE state = 'sending'`,
] as const;
