// SQL: the tables of a batch’s sheet, and what is asked of it.
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { endsOf } from '../once/intent/amount.ts';
import type { Range } from '../once/journal/journal.ts';

/** What the survey says about a row, before anything is sent. */
const standings = ['new', 'unfinished', 'done', 'held', 'elsewhere', 'conflict', 'invalid'] as const;
export type Standing = (typeof standings)[number];

/** How a row stands after a run: the state of its intent, or why it was not this batch's row to send. */
export type RowOutcome =
  | 'accepted'
  | 'resolved'
  | 'unknown'
  | 'held'
  | 'rejected'
  | 'open'
  | 'sending'
  | 'not-sent';

/** One row of the input, as it is kept while the batch runs. */
export type SheetRow = {
  readonly ordinal: number;
  readonly line: number;
  readonly id: string | undefined;
  readonly standing: Standing;
  /** What identifies it within its batch, and its canonical body; absent if the row is invalid. */
  readonly row: string | undefined;
  readonly request: string | undefined;
  /** The row's own intent, if the journal has one. */
  readonly intent: string | undefined;
  /** How it ended in this run, and the problem that was reported. */
  readonly outcome: RowOutcome | undefined;
  readonly problem: string | undefined;
  /** Columns that are kept and never sent, as a JSON object. */
  readonly columns?: string | undefined;
};

const schema = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -4096;
  CREATE TABLE rows (
    ordinal INTEGER PRIMARY KEY, line INTEGER NOT NULL, id TEXT, standing TEXT NOT NULL, row TEXT, request TEXT,
    intent TEXT, outcome TEXT, problem TEXT, columns TEXT
  ) STRICT;
  CREATE TABLE ids (id TEXT PRIMARY KEY, ordinal INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE equals (body TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE recipients (address TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE ends (address TEXT PRIMARY KEY, head TEXT NOT NULL, tail TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX ends_head ON ends (head);
  CREATE INDEX ends_tail ON ends (tail);
  BEGIN;
`;

const statements = {
  add: `INSERT INTO rows (ordinal, line, id, standing, row, request, intent, problem, columns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  get: `SELECT * FROM rows WHERE ordinal = ?`,
  takeId: `INSERT OR IGNORE INTO ids (id, ordinal) VALUES (?, ?)`,
  findId: `SELECT rows.* FROM rows JOIN ids USING (ordinal) WHERE ids.id = ?`,
  countEqual: `INSERT INTO equals (body, count) VALUES (?, 1)
               ON CONFLICT (body) DO UPDATE SET count = count + 1 RETURNING count`,
  countPayment: `INSERT INTO recipients (address, count) VALUES (?, ?)
                 ON CONFLICT (address) DO UPDATE SET count = count + excluded.count`,
  recipients: `SELECT count(*) AS addresses, coalesce(sum(count > 1), 0) AS repeated FROM recipients WHERE count > 0`,
  addEnds: `INSERT OR IGNORE INTO ends (address, head, tail) VALUES (?, ?, ?)`,
  recipientsLike: `SELECT address FROM ends WHERE head = ? UNION SELECT address FROM ends WHERE tail = ?`,
  markInvalid: `UPDATE rows SET standing = 'invalid', problem = ?, row = NULL, request = NULL, intent = NULL WHERE ordinal = ?`,
  recordEnd: `UPDATE rows SET outcome = ?, intent = ?, problem = ? WHERE ordinal = ?`,
  recordIntent: `UPDATE rows SET intent = coalesce(?, intent) WHERE ordinal = ?`,
  after: `SELECT * FROM rows WHERE ordinal > ? AND ordinal <= ? ORDER BY ordinal LIMIT 256`,
} as const;

export const everyRow: Range = { first: 1, last: Number.MAX_SAFE_INTEGER };

type Cells = Readonly<Record<string, null | number | string>>;

function text(cell: null | number | string | undefined): string | undefined {
  return typeof cell === 'string' ? cell : undefined;
}

function rowOf(cells: Cells): SheetRow {
  return {
    ordinal: Number(cells.ordinal),
    line: Number(cells.line),
    id: text(cells.id),
    standing: cells.standing as Standing,
    row: text(cells.row),
    request: text(cells.request),
    intent: text(cells.intent),
    outcome: text(cells.outcome) as RowOutcome | undefined,
    problem: text(cells.problem),
    columns: text(cells.columns),
  };
}

/**
 * The checked input, row by row, on disk. The rows sent are the rows checked, even if the file changes meanwhile, and
 * memory does not grow with their number. SQLite keeps a database without a name in a private file that disappears with
 * its process, however it ends.
 */
export class Sheet {
  readonly #database: DatabaseSyncInstance;
  readonly #prepared: Readonly<Record<keyof typeof statements, StatementSyncInstance>>;

  constructor() {
    this.#database = new DatabaseSync('');
    this.#database.exec(schema);
    const prepare = ([verb, sql]: [string, string]) => [verb, this.#database.prepare(sql)] as const;
    this.#prepared = Object.fromEntries(Object.entries(statements).map(prepare)) as Record<
      keyof typeof statements,
      StatementSyncInstance
    >;
  }

  add(added: Omit<SheetRow, 'outcome'>): void {
    const { ordinal, line, id, standing, row, request, intent, problem, columns } = added;
    const cells = [id, standing, row, request, intent, problem, columns].map((cell) => cell ?? null);
    this.#prepared.add.run(ordinal, line, ...cells);
  }

  /** Returns false if an earlier row has this id. */
  takeId(id: string, ordinal: number): boolean {
    return Number(this.#prepared.takeId.run(id, ordinal).changes) > 0;
  }

  firstWithId(id: string): SheetRow | undefined {
    const cells = this.#prepared.findId.get(id) as Cells | undefined;
    return cells === undefined ? undefined : rowOf(cells);
  }

  /** Counts one more row with this body and returns the new count. */
  countEqual(body: string): number {
    return Number((this.#prepared.countEqual.get(body) as Cells).count);
  }

  countPayment(address: string, by: 1 | -1): void {
    this.#prepared.countPayment.run(address, by);
  }

  /** Other recipients of earlier rows that begin or end like this one. Remembers this one for the rows after it. */
  recipientsLike(address: string): string[] {
    const { head, tail } = endsOf(address);
    const isNew = Number(this.#prepared.addEnds.run(address, head, tail).changes) > 0;
    if (!isNew) return [];
    const found = this.#prepared.recipientsLike.all(head, tail) as Cells[];
    return found.map((cells) => String(cells.address)).filter((other) => other !== address);
  }

  recipients(): { readonly distinct: number; readonly repeated: number } {
    const cells = this.#prepared.recipients.get() as Cells;
    return { distinct: Number(cells.addresses), repeated: Number(cells.repeated) };
  }

  /** Marks a row as invalid that had been accepted as valid. */
  markInvalid(ordinal: number, problem: string): void {
    this.#prepared.markInvalid.run(problem, ordinal);
  }

  recordEnd(
    ordinal: number,
    outcome: RowOutcome,
    intent: string | undefined,
    problem: string | undefined,
  ): void {
    this.#prepared.recordEnd.run(outcome, intent ?? null, problem ?? null, ordinal);
  }

  recordIntent(ordinal: number, intent: string | undefined): void {
    this.#prepared.recordIntent.run(intent ?? null, ordinal);
  }

  /** Rows in input order: all, or those of a range. Their ends may be recorded while this runs. */
  *rows(range?: Range): Generator<SheetRow> {
    for (const page of this.pages(range)) yield* page;
  }

  /** The same, a page at a time. */
  *pages({ first, last }: Range = everyRow): Generator<readonly SheetRow[]> {
    let seen = first - 1;
    for (;;) {
      const page = (this.#prepared.after.all(seen, last) as Cells[]).map(rowOf);
      if (page.length === 0) return;
      seen = page.at(-1)?.ordinal ?? seen;
      yield page;
    }
  }

  close(): void {
    this.#database.close();
  }
}

const hexDigits = 12;

/**
 * Consecutive ids from a random first one. They keep the rows of a batch side by side in the journal's index; random
 * ids would each touch a page of their own and cost a twentieth more time for each row. A collision is as unlikely as
 * with random ids.
 */
export function consecutiveIds(uuid: () => string): () => string {
  const all = 16 ** hexDigits;
  let next = Number.parseInt(uuid().replaceAll('-', '').slice(0, hexDigits), 16);
  return () => {
    const id = next.toString(16).padStart(hexDigits, '0');
    next = (next + 1) % all;
    return id;
  };
}
