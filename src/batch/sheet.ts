// SQL: the tables of a batch’s sheet, and what is asked of it.
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { isDone } from '../once/engine/planKinds.ts';
import { countedAsset } from '../once/intent/amount.ts';
import { paymentOfTransfer, type TransferRequest } from '../once/intent/wanted.ts';
import type { EqualPayment } from '../once/journal/journal.ts';

/** What the survey says about a row, before anything is sent. */
const standings = [
  'new',
  'unfinished',
  'done',
  'waiting',
  'held',
  'declined',
  'elsewhere',
  'conflict',
  'invalid',
] as const;
export type Standing = (typeof standings)[number];

/** How a row stands after a run: the state of its intent, or why it was not this batch's row to send. */
export type RowOutcome =
  | 'accepted'
  | 'resolved'
  | 'unknown'
  | 'waiting'
  | 'held'
  | 'declined'
  | 'rejected'
  | 'open'
  | 'sending'
  | 'not-sent'
  | 'paid-already'
  | 'not-begun';

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
  /** An equal payment under another entry, as JSON. */
  readonly equal: string | undefined;
};

/** What this run does not touch. */
export function isOver(standing: Standing): boolean {
  return standing === 'done' || standing === 'invalid';
}

const schema = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -4096;
  CREATE TABLE rows (
    ordinal INTEGER PRIMARY KEY, line INTEGER NOT NULL, id TEXT, standing TEXT NOT NULL, row TEXT, request TEXT,
    intent TEXT, outcome TEXT, problem TEXT, columns TEXT, equal TEXT
  ) STRICT;
  CREATE INDEX rows_intent ON rows (intent) WHERE intent IS NOT NULL;
  CREATE TABLE ids (id TEXT PRIMARY KEY, ordinal INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE equals (body TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE payments (address TEXT NOT NULL, amount TEXT NOT NULL, asset TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (address, amount, asset)) STRICT, WITHOUT ROWID;
  BEGIN;
`;

const statements = {
  add: `INSERT INTO rows (ordinal, line, id, standing, row, request, intent, problem, columns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  get: `SELECT * FROM rows WHERE ordinal = ?`,
  takeId: `INSERT OR IGNORE INTO ids (id, ordinal) VALUES (?, ?)`,
  findId: `SELECT rows.* FROM rows JOIN ids USING (ordinal) WHERE ids.id = ?`,
  countEqual: `INSERT INTO equals (body, count) VALUES (?, 1)
               ON CONFLICT (body) DO UPDATE SET count = count + 1 RETURNING count`,
  countPayment: `INSERT INTO payments (address, amount, asset, count) VALUES (?, ?, ?, ?)
                 ON CONFLICT (address, amount, asset) DO UPDATE SET count = count + excluded.count`,
  recipients: `SELECT count(*) AS addresses, coalesce(sum(paid > 1), 0) AS repeated
               FROM (SELECT sum(count) AS paid FROM payments WHERE count > 0 GROUP BY address)`,
  paidTwice: `SELECT address AS to_address, amount, asset FROM payments WHERE count > 1`,
  markInvalid: `UPDATE rows SET standing = 'invalid', problem = ?, row = NULL, request = NULL, intent = NULL,
                  equal = NULL WHERE ordinal = ?`,
  markEqual: `UPDATE rows SET equal = ?, problem = ? WHERE ordinal = ?`,
  equals: `SELECT * FROM rows WHERE equal IS NOT NULL AND ordinal > ? ORDER BY ordinal LIMIT 256`,
  hasIntent: `SELECT 1 FROM rows WHERE intent = ? LIMIT 1`,
  recordEnd: `UPDATE rows SET outcome = ?, intent = ?, problem = ? WHERE ordinal = ?`,
  recordIntent: `UPDATE rows SET intent = coalesce(?, intent) WHERE ordinal = ?`,
  after: `SELECT * FROM rows WHERE ordinal > ? AND ordinal <= ? ORDER BY ordinal LIMIT 256`,
} as const;

/** Rows by their position in the input. */
type Range = { readonly first: number; readonly last: number };

const everyRow: Range = { first: 1, last: Number.MAX_SAFE_INTEGER };

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
    equal: text(cells.equal),
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

  add(added: Omit<SheetRow, 'outcome' | 'equal'>): void {
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

  countPayment({ to_address, amount, asset }: TransferRequest, by: 1 | -1): void {
    this.#prepared.countPayment.run(to_address, amount, countedAsset(asset), by);
  }

  /** Payments that more than one row makes. */
  paidTwice(): string[] {
    return (this.#prepared.paidTwice.all() as TransferRequest[]).map(paymentOfTransfer);
  }

  recipients(): { readonly distinct: number; readonly repeated: number } {
    const cells = this.#prepared.recipients.get() as Cells;
    return { distinct: Number(cells.addresses), repeated: Number(cells.repeated) };
  }

  /** Marks a row as invalid that had been accepted as valid. */
  markInvalid(ordinal: number, problem: string): void {
    this.#prepared.markInvalid.run(problem, ordinal);
  }

  /** Marks a row that would pay what another entry has paid, or may have paid. */
  markEqual(ordinal: number, { id, bot, name, rowId, ...rest }: EqualPayment, problem: string): void {
    const { state, resolvedAs, countsAtMs, updatedAtMs } = rest;
    const equal: EqualPayment = { id, bot, name, rowId, state, resolvedAs, countsAtMs, updatedAtMs };
    this.#prepared.markEqual.run(JSON.stringify(equal), problem, ordinal);
  }

  /** Those rows, a few at a time. */
  *equals(): Generator<readonly SheetRow[]> {
    yield* this.#pages((seen) => this.#prepared.equals.all(seen) as Cells[]);
  }

  /** Whether an entry of the journal is that of a row of this input. */
  hasIntent(id: string): boolean {
    return this.#prepared.hasIntent.get(id) !== undefined;
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
    yield* this.#pages((seen) => this.#prepared.after.all(seen, last) as Cells[], first - 1);
  }

  *#pages(after: (seen: number) => Cells[], before = 0): Generator<readonly SheetRow[]> {
    let seen = before;
    for (;;) {
      const page = after(seen).map(rowOf);
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

/** A row that would pay what another entry has paid, or may have paid. */
export type EqualRow = {
  readonly line: number;
  readonly id: string | undefined;
  readonly request: TransferRequest;
  readonly columns: string | undefined;
  readonly equal: EqualPayment;
};

export type EqualRows = {
  readonly rows: number;
  /** Those of which it is not known whether they were paid. */
  readonly inDoubt: number;
  readonly first: readonly EqualRow[];
};

export const noEqualRows: EqualRows = { rows: 0, inDoubt: 0, first: [] };

const shownRows = 3;

export function equalOf({ equal }: SheetRow): EqualPayment | undefined {
  return equal === undefined ? undefined : (JSON.parse(equal) as EqualPayment);
}

export function equalRows(sheet: Sheet): EqualRows {
  const first: EqualRow[] = [];
  let [rows, inDoubt] = [0, 0];
  for (const page of sheet.equals())
    for (const row of page) {
      const { line, id, columns } = row;
      const equal = equalOf(row);
      if (equal === undefined || row.request === undefined) continue;
      rows += 1;
      if (!isDone(equal)) inDoubt += 1;
      const request: TransferRequest = JSON.parse(row.request);
      if (first.length < shownRows) first.push({ line, id, request, columns, equal });
    }
  return { rows, inDoubt, first };
}
