import type {
  Joined,
  KeySums,
  Range,
  Round,
  Runner,
  SharedBatch,
  Shares,
  Taken,
} from '../once/journal/journal.ts';
import type { ServerBase } from './base.ts';
import type { PgConnection } from './connection.ts';
import { type Lease, thisMoment } from './lease.ts';
import { inSchema, nowMs, type Row } from './sql.ts';

type SharesInputs = {
  readonly schema: string;
  readonly store: Pick<ServerBase, 'onConnection'>;
  readonly lease: Lease;
  readonly silentSinceMs: () => number;
};

/** The digest of a batch that was copied from a file, which has none. */
const unknownDigest = '';

const find = /* sql */ `SELECT seq, digest, rows, round, next_ordinal FROM @schema.batches
  WHERE name = $1 AND base_url = $2 AND kind = $3`;

const begin = /* sql */ `INSERT INTO @schema.batches (name, base_url, kind, digest, rows) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING`;

const beginRound = /* sql */ `UPDATE @schema.batches SET round = round + 1, next_ordinal = 1, digest = $2, rows = $3
  WHERE seq = $1 RETURNING round`;

const bitsOf = (hex: string): string => /* sql */ `('x' || ${hex})::bit(32)::bigint`;
const sumOf = (hex: string): string => /* sql */ `(coalesce(sum(${bitsOf(hex)}), 0) % 4294967296)::bigint`;

const doneRows = /* sql */ `SELECT count(*) AS rows, ${sumOf('left(i.key, 8)')} AS first, ${sumOf('right(i.key, 8)')} AS last
  FROM @schema.intents i
  WHERE i.name = $1 AND i.named_by = 'row' AND i.base_url = $2 AND (i.kind || '') = $3
  AND (i.state = 'accepted' OR i.resolved_as = 'happened')`;

/** Includes runners with nothing in hand that have not ended yet. */
const runners = /* sql */ `SELECT o.host, o.pid,
    coalesce(sum(s.last - s.first + 1) FILTER (WHERE s.ended_at IS NULL), 0)::bigint AS rows
  FROM @schema.shares s JOIN @schema.owners o ON o.id = s.owner
  WHERE s.batch = $1::bigint AND s.round = $2::int AND s.owner <> $3 AND o.ended_at IS NULL
  GROUP BY o.id ORDER BY o.host, o.pid`;

/** The rows of a batch, divided by the server among all runners. */
export class SharedShares implements Shares {
  readonly #inputs: SharesInputs;

  constructor(inputs: SharesInputs) {
    this.#inputs = inputs;
  }

  isOtherFile({ name, baseUrl, kind, ...file }: SharedBatch): Promise<boolean> {
    return this.#inputs.store.onConnection(async (connection) => {
      const { rows } = await connection.query(this.#sql(find), [name, baseUrl, kind]);
      return rows.some((row) => !isSame(row, file));
    });
  }

  doneRows({ name, baseUrl, kind }: SharedBatch): Promise<KeySums> {
    return this.#inputs.store.onConnection(async (connection) => {
      const { rows } = await connection.query(this.#sql(doneRows), [name, baseUrl, kind]);
      const [sums = {}] = rows;
      return { rows: Number(sums.rows), first: Number(sums.first), last: Number(sums.last) };
    });
  }

  join(batch: SharedBatch, changedFile: boolean): Promise<Joined> {
    return this.#inputs.store.onConnection(async (connection) => {
      const askedAt = thisMoment();
      try {
        const answers = await connection.all(['BEGIN', this.#inputs.lease.renewalOn(connection)]);
        this.#inputs.lease.fence(answers.at(-1)?.rows ?? []);
        const joined = await this.#joinOn(connection, batch, changedFile);
        await connection.query('COMMIT');
        this.#inputs.lease.renewed(askedAt);
        return joined;
      } catch (error) {
        if (!connection.isBroken) await connection.query('ROLLBACK').catch(() => connection.destroy());
        throw error;
      }
    });
  }

  /**
   * A round lasts while a runner works on it. The first runner after that begins a new one and checks every row again.
   */
  async #joinOn(connection: PgConnection, batch: SharedBatch, changedFile: boolean): Promise<Joined> {
    const { name, baseUrl, kind, digest, rows } = batch;
    await connection.query(this.#sql(begin), [name, baseUrl, kind, digest, rows]);
    const found = await connection.query(this.#sql(/* sql */ `${find} FOR UPDATE`), [name, baseUrl, kind]);
    const [row = {}] = found.rows;
    const [seq, round] = [Number(row.seq), Number(row.round)];
    const isSameFile = isSame(row, batch);
    const isNewHere = row.digest === unknownDigest;
    if (!isSameFile && !changedFile) return { is: 'other-file' };
    await connection.query(this.#endSilent({ batch: seq, round }));
    const others = (await connection.query(this.#sql(runners), [seq, round, this.#inputs.lease.id])).rows;
    if (!isSameFile && others.length > 0) return { is: 'at-work', runners: others.map(runnerOf) };
    if (isSameFile && !isNewHere && (others.length > 0 || Number(row.next_ordinal) === 1))
      return { is: 'joined', round: { batch: seq, round } };
    const begun = await connection.query(this.#sql(beginRound), [seq, digest, rows]);
    return { is: 'joined', round: { batch: seq, round: Number(begun.rows[0]?.round) } };
  }

  take(round: Round, size: number, ended: readonly Range[], holding: readonly Range[]): Promise<Taken> {
    return this.#inputs.store.onConnection(async (connection) => {
      const answers = await this.#ask(connection, [this.#end(round, ended), this.#next(round, size)]);
      const [taken] = answers.at(-1) ?? [];
      if (taken !== undefined)
        return { is: 'range', range: rangeOf(taken), left: Math.max(0, Number(taken.left)) };
      const rest = await this.#ask(connection, [
        this.#endSilent(round),
        this.#forgotten(round, [...ended, ...holding]),
        this.#takeOver(round),
        this.#others(round),
      ]);
      const [inherited] = rest.slice(-3, -1).flat();
      if (inherited !== undefined) return { is: 'range', range: rangeOf(inherited), left: 0 };
      const others = rest.at(-1) ?? [];
      return { is: 'nothing', others: others.map(runnerOf), theirs: others.flatMap(rangesOf) };
    });
  }

  /**
   * One round trip, and one commit that need not reach the disk: even a row handed out twice is sent once. Each call
   * renews the lease, and a process without a lease gets nothing.
   */
  async #ask(connection: PgConnection, statements: readonly string[]): Promise<readonly (readonly Row[])[]> {
    const { lease } = this.#inputs;
    const askedAt = thisMoment();
    const answers = await connection.all([
      /* sql */ 'SET LOCAL synchronous_commit = off',
      lease.renewalOn(connection),
      ...statements,
    ]);
    lease.fence(answers[1]?.rows ?? []);
    lease.renewed(askedAt);
    return answers.slice(2).map(({ rows }) => rows);
  }

  #end(round: Round, ended: readonly Range[]): string {
    return this.#sql(/* sql */ `UPDATE @schema.shares SET ended_at = ${nowMs}
      WHERE ${ofRound(round)} AND ${isOneOf(ended)} AND owner = ${this.#self} AND ended_at IS NULL`);
  }

  #next(round: Round, size: number): string {
    return this.#sql(/* sql */ `WITH taken AS (
        UPDATE @schema.batches SET next_ordinal = next_ordinal + ${size}
        WHERE seq = ${round.batch} AND round = ${round.round} AND next_ordinal <= rows AND ${this.#isAlive}
        RETURNING next_ordinal - ${size} AS first, least(next_ordinal - 1, rows) AS last, rows - next_ordinal + 1 AS left),
      given AS (INSERT INTO @schema.shares (batch, round, first, last, owner)
        SELECT ${round.batch}, ${round.round}, first, last, ${this.#self} FROM taken)
      SELECT first, last, "left" FROM taken`);
  }

  /** Records the death of runners whose lease has run out, before anything is taken from them, now or later. */
  #endSilent(round: Round): string {
    return this.#sql(/* sql */ `UPDATE @schema.owners SET ended_at = ${nowMs}
      WHERE id IN (SELECT id FROM @schema.owners
        WHERE ended_at IS NULL AND renewed_at < ${Math.floor(this.#inputs.silentSinceMs())}
        AND id IN (SELECT owner FROM @schema.shares WHERE ${ofRound(round)}) FOR UPDATE SKIP LOCKED)`);
  }

  /**
   * A range that this process owns unknowingly: the answer was lost, or the server has forgotten that the range ended.
   */
  #forgotten(round: Round, known: readonly Range[]): string {
    return this.#sql(/* sql */ `SELECT first, last FROM @schema.shares
      WHERE ${ofRound(round)} AND NOT ${isOneOf(known)} AND owner = ${this.#self} AND ended_at IS NULL LIMIT 1`);
  }

  #takeOver(round: Round): string {
    return this.#sql(/* sql */ `UPDATE @schema.shares SET owner = ${this.#self} WHERE ${ofRound(round)} AND ${this.#isAlive}
      AND first = (SELECT s.first FROM @schema.shares s JOIN @schema.owners o ON o.id = s.owner
        WHERE s.batch = ${round.batch} AND s.round = ${round.round} AND s.ended_at IS NULL AND o.ended_at IS NOT NULL
        ORDER BY s.first LIMIT 1 FOR UPDATE OF s SKIP LOCKED)
      RETURNING first, last`);
  }

  #others(round: Round): string {
    return this.#sql(/* sql */ `SELECT o.host, o.pid, sum(s.last - s.first + 1)::bigint AS rows,
        string_agg(s.first || '-' || s.last, ' ' ORDER BY s.first) AS ranges
      FROM @schema.shares s JOIN @schema.owners o ON o.id = s.owner
      WHERE s.batch = ${round.batch} AND s.round = ${round.round} AND s.ended_at IS NULL AND s.owner <> ${this.#self}
      GROUP BY o.id ORDER BY o.host, o.pid`);
  }

  get #self(): string {
    return `'${this.#inputs.lease.id}'`;
  }

  get #isAlive(): string {
    return /* sql */ `EXISTS (SELECT FROM @schema.owners WHERE id = ${this.#self} AND ended_at IS NULL)`;
  }

  #sql(text: string): string {
    return inSchema(this.#inputs.schema, text);
  }
}

const ofRound = ({ batch, round }: Round): string => /* sql */ `batch = ${batch} AND round = ${round}`;

const isOneOf = (ranges: readonly Range[]): string =>
  /* sql */ `first = ANY ('{${ranges.map(({ first }) => first).join(',')}}'::bigint[])`;

function isSame(row: Row, { digest, rows }: Pick<SharedBatch, 'digest' | 'rows'>): boolean {
  return row.digest === unknownDigest || (row.digest === digest && Number(row.rows) === rows);
}

function rangeOf({ first, last }: Row): Range {
  return { first: Number(first), last: Number(last) };
}

function rangesOf({ ranges }: Row): Range[] {
  return String(ranges)
    .split(' ')
    .map((range) => range.split('-').map(Number))
    .map(([first = 0, last = 0]) => ({ first, last }));
}

function runnerOf(row: Row): Runner {
  return { ...{ host: String(row.host), pid: Number(row.pid) }, rows: Number(row.rows) };
}
