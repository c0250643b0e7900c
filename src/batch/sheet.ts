// SQL: the tables of a batch’s sheet, and what is asked of it.
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { isDone } from '../once/engine/planKinds.ts';
import { countedAsset } from '../once/intent/amount.ts';
import { inOneSpelling, type Spellings } from '../once/intent/spellings.ts';
import { paymentOfTransfer, type TransferRequest } from '../once/intent/wanted.ts';
import { type EarlierPayment, mostEarlierPayments } from '../once/journal/journal.ts';

/** What the survey says about a row, before anything is sent. */
const standings = [
  'new',
  'unfinished',
  'done',
  'held',
  'elsewhere',
  'conflict',
  'skipped',
  'invalid',
] as const;
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
  | 'not-sent'
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
  /** What else paid the same, as JSON. */
  readonly repeats: string | undefined;
};

/** What this run does not touch. */
export function isOver(standing: Standing): boolean {
  return standing === 'done' || standing === 'skipped' || standing === 'invalid';
}

const schema = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -4096;
  CREATE TABLE rows (
    ordinal INTEGER PRIMARY KEY, line INTEGER NOT NULL, id TEXT, standing TEXT NOT NULL, row TEXT, request TEXT,
    intent TEXT, outcome TEXT, problem TEXT, columns TEXT, repeats TEXT
  ) STRICT;
  CREATE TABLE ids (id TEXT PRIMARY KEY, ordinal INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE equals (body TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE payments (address TEXT NOT NULL, amount TEXT NOT NULL, asset TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (address, amount, asset)) STRICT, WITHOUT ROWID;
  CREATE TABLE fresh (payment TEXT NOT NULL, ordinal INTEGER NOT NULL, PRIMARY KEY (payment, ordinal)) STRICT, WITHOUT ROWID;
  CREATE TABLE begun (seq INTEGER PRIMARY KEY, payment TEXT NOT NULL, id TEXT, earlier TEXT NOT NULL) STRICT;
  CREATE TABLE anew (ordinal INTEGER PRIMARY KEY, payment TEXT NOT NULL, earlier TEXT NOT NULL, is_more INTEGER NOT NULL) STRICT;
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
  hasFresh: `SELECT 1 FROM fresh WHERE payment = ? LIMIT 1`,
  addFresh: `INSERT INTO fresh (payment, ordinal) VALUES (?, ?)`,
  addBegun: `INSERT INTO begun (payment, id, earlier) VALUES (?, ?, ?)`,
  // Each payment that was made stands beside one row. If there are more rows, the last one stands beside all of these.
  findAnew: `WITH beyond AS (SELECT payment, earlier, row_number() OVER (PARTITION BY payment ORDER BY seq) AS place
               FROM begun LEFT JOIN ids USING (id) LEFT JOIN rows USING (ordinal)
               WHERE coalesce(standing, 'invalid') IN ('invalid', 'conflict')),
             waiting AS (SELECT payment, ordinal, row_number() OVER (PARTITION BY payment ORDER BY ordinal) AS place
               FROM fresh JOIN rows USING (ordinal) WHERE standing <> 'invalid')
             INSERT INTO anew SELECT ordinal, waiting.payment, earlier, waiting.place > paid FROM waiting
               JOIN (SELECT payment, count(*) AS paid FROM beyond GROUP BY payment) AS made USING (payment)
               JOIN beyond ON beyond.payment = waiting.payment AND beyond.place = min(waiting.place, paid)`,
  anew: `SELECT rows.*, json_insert(coalesce(repeats, '[]'), '$[#]', json(earlier)) AS repeats
         FROM anew JOIN rows USING (ordinal) WHERE ordinal > ? ORDER BY ordinal LIMIT 256`,
  countAnew: `SELECT count(*) AS count FROM anew`,
  paidLess: `SELECT min(request) AS request, json_group_array(line) AS lines, sum(NOT is_more) AS paid
             FROM anew JOIN rows USING (ordinal) GROUP BY payment HAVING max(is_more)`,
  // What other names paid is not counted further than it is looked up.
  paidLessElsewhere: `SELECT min(request) AS request, json_group_array(line) AS lines,
               (SELECT count(DISTINCT json_extract(value, '$.id')) FROM json_each(min(repeats))) AS paid
             FROM rows WHERE repeats IS NOT NULL AND ordinal NOT IN (SELECT ordinal FROM anew)
             GROUP BY json_extract(request, '$.to_address'), lower(json_extract(request, '$.asset')),
               json_extract(request, '$.amount')
             HAVING count(*) > paid AND paid < ${mostEarlierPayments}`,
  markInvalid: `UPDATE rows SET standing = 'invalid', problem = ?, row = NULL, request = NULL, intent = NULL,
                  repeats = NULL WHERE ordinal = ?`,
  markRepeats: `UPDATE rows SET repeats = ?, problem = ? WHERE ordinal = ?`,
  skipRepeats: `UPDATE rows SET standing = 'skipped' WHERE repeats IS NOT NULL`,
  countSkipped: `SELECT count(*) AS count FROM rows WHERE standing = 'skipped' AND intent IS NULL`,
  repeated: `SELECT * FROM rows WHERE repeats IS NOT NULL AND ordinal > ? ORDER BY ordinal LIMIT 256`,
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
    repeats: text(cells.repeats),
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

  add(added: Omit<SheetRow, 'outcome' | 'repeats'>): void {
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

  /** Remembers a row that has not begun. Returns whether it is the first that makes this payment. */
  addFresh(payment: string, ordinal: number): boolean {
    const isFirst = this.#prepared.hasFresh.get(payment) === undefined;
    this.#prepared.addFresh.run(payment, ordinal);
    return isFirst;
  }

  /** Remembers what made this payment under the batch's own name. */
  addBegun(payment: string, earlier: EarlierPayment): void {
    this.#prepared.addBegun.run(payment, earlier.rowId ?? null, JSON.stringify(earlier));
  }

  /** The rows that have not begun whose payments were made by rows that are not in this input, a few at a time. */
  *numberedAnew(): Generator<readonly SheetRow[]> {
    this.#prepared.findAnew.run();
    yield* this.#pages((seen) => this.#prepared.anew.all(seen) as Cells[]);
  }

  countAnew(): number {
    return Number((this.#prepared.countAnew.get() as Cells).count);
  }

  /** The payments among them that more rows make than made them before. */
  paidLess(): PaidLess[] {
    const { paidLess, paidLessElsewhere } = this.#prepared;
    const read = (found: unknown[], isOwn: boolean): PaidLess[] =>
      (found as Cells[]).map(({ request, lines, paid }) => ({
        request: JSON.parse(String(request)) as TransferRequest,
        lines: JSON.parse(String(lines)) as number[],
        paid: Number(paid),
        isOwn,
      }));
    return [...read(paidLess.all(), true), ...read(paidLessElsewhere.all(), false)];
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

  markRepeats(ordinal: number, repeats: string, problem: string): void {
    this.#prepared.markRepeats.run(repeats, problem, ordinal);
  }

  /** From now on they are not this run's to send. */
  skipRepeats(): void {
    this.#prepared.skipRepeats.run();
  }

  /** Without those that had begun. */
  countSkipped(): number {
    return Number((this.#prepared.countSkipped.get() as Cells).count);
  }

  /** A few at a time. */
  *repeated(): Generator<readonly SheetRow[]> {
    yield* this.#pages((seen) => this.#prepared.repeated.all(seen) as Cells[]);
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

/** A row that was paid already. */
export type RepeatedRow = {
  readonly line: number;
  readonly id: string | undefined;
  readonly request: TransferRequest;
  readonly columns: string | undefined;
  /** The surest and newest first. */
  readonly earlier: readonly [EarlierPayment, ...EarlierPayment[]];
};

/** Rows that were paid under other names, or under this one by rows that are gone. */
export type RepeatedRows = {
  readonly rows: number;
  /** The rows of which nothing has been paid under this name. */
  readonly of: number;
  /** Those of which it is not known whether they were paid. */
  readonly inDoubt: number;
  /** What paid most of them, and when the last of them. */
  readonly by: EarlierPayment | undefined;
  /** How many names paid them. */
  readonly names: number;
  readonly first: readonly RepeatedRow[];
  /** Those that were paid under this batch's own name, by rows that are not in its input. */
  readonly own: number;
  /** Payments that more of these rows make than made them before. */
  readonly paidLess: readonly PaidLess[];
};

/** Rows that make one payment, and how often it was made: under the batch's own name, or under others. */
export type PaidLess = AlikeGroup & { readonly paid: number; readonly isOwn: boolean };

export const noRepeatedRows: RepeatedRows = {
  rows: 0,
  of: 0,
  inDoubt: 0,
  by: undefined,
  names: 0,
  first: [],
  own: 0,
  paidLess: [],
};

const shownRows = 3;

export function repeatsOf({ repeats }: SheetRow): EarlierPayment[] {
  return repeats === undefined ? [] : (JSON.parse(repeats) as EarlierPayment[]);
}

function repeatedRow({ line, id, request, columns, repeats }: SheetRow): RepeatedRow {
  const earlier = JSON.parse(repeats ?? '') as RepeatedRow['earlier'];
  return { line, id, request: JSON.parse(request ?? '') as TransferRequest, columns, earlier };
}

/** `fresh` rows have not begun. */
export function repeatedRows(sheet: Sheet, fresh: number): RepeatedRows {
  const names = new Map<string, { rows: number; latest: EarlierPayment }>();
  const first: RepeatedRow[] = [];
  let [rows, inDoubt, unfinished] = [0, 0, 0];
  for (const page of sheet.repeated())
    for (const row of page) {
      const repeated = repeatedRow(row);
      const [earlier] = repeated.earlier;
      rows += 1;
      if (row.standing === 'unfinished') unfinished += 1;
      if (!isDone(earlier)) inDoubt += 1;
      if (first.length < shownRows) first.push(repeated);
      const name = `${earlier.namedBy} ${earlier.name}`;
      const known = names.get(name) ?? { rows: 0, latest: earlier };
      const latest = earlier.atMs > known.latest.atMs ? earlier : known.latest;
      names.set(name, { rows: known.rows + 1, latest });
    }
  const [most] = [...names.values()].sort((left, right) => right.rows - left.rows);
  const own = { own: sheet.countAnew(), paidLess: sheet.paidLess() };
  return { rows, of: fresh + unfinished, inDoubt, by: most?.latest, names: names.size, first, ...own };
}

/** Some payments that may have been made. */
export function firstInDoubt(sheet: Sheet): EarlierPayment[] {
  const some: EarlierPayment[] = [];
  for (const page of sheet.repeated())
    for (const row of page) {
      const [earlier] = repeatedRow(row).earlier;
      if (!isDone(earlier)) some.push(earlier);
      if (some.length === shownRows) return some;
    }
  return some;
}

const leastRows = 2;
const manyRows = 20;

/**
 * A few equal payments are usual; that many are a file that was paid already. So is one of a row that is gone, if other
 * rows have changed.
 */
export function isPaidAlready(
  { rows, of, own }: Pick<RepeatedRows, 'rows' | 'of' | 'own'>,
  conflicts: number,
): boolean {
  return (rows >= leastRows && (4 * rows >= of || rows >= manyRows)) || (own > 0 && conflicts > 0);
}

/** Rows of one input that pay the same amount to the same address. */
export type AlikeGroup = { readonly request: TransferRequest; readonly lines: readonly number[] };

export type AlikeRows = {
  /** How many payments are made by more than one row. */
  readonly groups: number;
  /** How many rows make them. */
  readonly rows: number;
  readonly first: readonly AlikeGroup[];
};

export const noAlikeRows: AlikeRows = { groups: 0, rows: 0, first: [] };

const shownGroups = 20;

/** Where at least one of a group is still to be paid. */
export function alikeRows(sheet: Sheet, spellings: Spellings | undefined): AlikeRows {
  const groups = new Map<string, { lines: number[]; left: number; request?: TransferRequest }>();
  for (const payment of sheet.paidTwice()) groups.set(payment, { lines: [], left: 0 });
  if (groups.size === 0) return noAlikeRows;
  for (const { line, standing, request } of sheet.rows()) {
    if (request === undefined) continue;
    const paying = JSON.parse(request) as TransferRequest;
    const group = groups.get(paymentOfTransfer(inOneSpelling(paying, spellings)));
    if (group === undefined) continue;
    group.lines.push(line);
    group.request ??= paying;
    if (!isOver(standing)) group.left += 1;
  }
  const alike = [...groups.values()].flatMap(({ lines, left, request }) =>
    request === undefined || left === 0 || lines.length < 2 ? [] : [{ request, lines }],
  );
  const rows = alike.reduce((sum, { lines }) => sum + lines.length, 0);
  return { groups: alike.length, rows, first: alike.slice(0, shownGroups) };
}
