import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { diskTroubleOf } from '../../../machine/disk.ts';
import { factsOf, journalFailure } from '../facts.ts';
import type { Guards } from '../journal.ts';
import { Mutex } from '../mutex.ts';
import { type Ask, type JournalRow, sound, type Values } from '../rows.ts';
import type { Base, OwnReads } from '../store.ts';
import { questions } from '../verbs.ts';
import { damaged, isConstraint, sqliteFailure } from './faults.ts';
import { isSchemaWhole, numberedOn } from './fileSchema.ts';
import { type Mark, markPath, type RowNumbers } from './mark.ts';
import { checkpoint, fitLog, withoutSync } from './opening.ts';
import { isRefusedAsMoved, movedFailure, type ProcessOwners } from './ownFiles.ts';

/** No command for a single intent makes this many commits. */
const manyCommits = 50;

/** Enough for the re-run window of unnamed intents, which is hours at most. */
const latestLooked = 500;

/** A file as a base: its prepared statements, its one way of failing, and the mark that notes what it holds. */
export class FileBase implements Base {
  readonly #database: DatabaseSyncInstance;
  readonly #path: string;
  readonly #mark: Mark | undefined;
  /** Each statement is prepared when it is first used. */
  readonly #prepared = new Map<string, Statement>();
  readonly #turns = new Mutex();
  readonly owners: Base['owners'];
  readonly reads: OwnReads;
  #isCommitting = false;
  #commits = 0;
  #given: Partial<RowNumbers> = {};

  constructor(database: DatabaseSyncInstance, path: string, mark: Mark | undefined, owners: ProcessOwners) {
    this.#database = database;
    this.#path = path;
    this.#mark = mark;
    this.owners = {
      self: () => this.guard(() => owners.self()),
      lives: ({ owner }) => typeof owner === 'string' && owners.isAlive(owner),
      bury: async (owner) => {
        if (owners.isAlive(owner)) return false;
        owners.forget(owner);
        return true;
      },
    };
    this.reads = {
      ownerLives: async (owner) => owners.isAlive(owner),
      processOf: async () => undefined,
    };
  }

  /** How many commits it has made. */
  get commits(): number {
    return this.#commits;
  }

  readonly ask: Ask = (sql, values) => this.#turns.between(() => this.#asked(sql, values));

  /** The commit was made, but must not be believed. */
  failedAsWhole(reason: unknown): boolean {
    return factsOf(reason, 'mark-not-writable') !== undefined;
  }

  transact<Result>(
    work: (ask: Ask, reads: OwnReads) => Promise<Result>,
    { unsynced = false }: Guards,
  ): Promise<Result> {
    const ask: Ask = async (sql, values) => this.#asked(sql, values);
    return this.#turns.alone(async () => {
      try {
        const transact = () => this.#transact(() => work(ask, this.reads));
        const result = await (unsynced ? withoutSync(this.#database, transact) : transact());
        this.#noteGiven();
        return result;
      } catch (error) {
        throw this.#failure(error);
      }
    });
  }

  async #transact<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#commits > 0 && this.#commits % manyCommits === 0) fitLog(this.#database, this.#path);
    this.#database.exec(/* sql */ 'BEGIN IMMEDIATE');
    this.#given = {};
    this.#isCommitting = true;
    try {
      const result = await withinThisTurn(work());
      this.#database.exec('COMMIT');
      this.#commits += 1;
      return result;
    } catch (error) {
      // After a full disk or an I/O error SQLite may have rolled back already.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    } finally {
      this.#isCommitting = false;
    }
  }

  /** Raises the mark after the commit, and before a byte leaves. If that fails, nothing may leave. */
  #noteGiven(): void {
    if (Object.keys(this.#given).length === 0) return;
    try {
      this.#mark?.raise({ intents: 0, attempts: 0, decisions: 0, ...this.#given });
    } catch (error) {
      const mark = markPath(this.#path);
      throw journalFailure('mark-not-writable', { mark, trouble: diskTroubleOf(error) }, error);
    }
  }

  #asked(sql: string, values: Values): readonly JournalRow[] {
    return this.guard(() => {
      const statement = this.#statement(sql);
      // It would change the journal in a commit of its own, past every guard.
      if (statement.changes && !this.#isCommitting) throw new Error('this transaction is over');
      if (sql === questions.findUnnamed) return this.#findUnnamed(statement, values);
      const { rows, numbered } = statement.run(values);
      if (statement.numbers !== undefined) this.#given = { ...this.#given, [statement.numbers]: numbered };
      return rows;
    });
  }

  #statement(sql: string): Statement {
    const known = this.#prepared.get(sql) ?? prepare(this.#database, sql);
    this.#prepared.set(sql, known);
    return known;
  }

  /**
   * A damaged index finds nothing although the intent is there, and it would be sent again. So where nothing was found,
   * the latest intents are checked one by one, as they are at that moment.
   */
  #findUnnamed(find: Statement, values: Values): readonly JournalRow[] {
    const isAlone = !this.#database.isTransaction;
    if (isAlone) this.#database.exec('BEGIN');
    try {
      const { rows } = find.run(values);
      if (rows.length > 0) return rows;
      const [latest] = this.#statement(latestUnnamed).run({ ...values, latest: latestLooked }).rows;
      const { same, rows: count, numbers, losses } = latest ?? {};
      const isWhole = numbers === null || Number(losses) > 0 || count === numbers;
      if (same !== 0 || !isWhole) throw damaged(this.#path);
      return rows;
    } finally {
      if (isAlone && this.#database.isTransaction) this.#database.exec('ROLLBACK');
    }
  }

  guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    if (isRefusedAsMoved(error)) return movedFailure(this.#database, this.#path) ?? error;
    if (isConstraint(error) && !isSchemaWhole(this.#database)) return damaged(this.#path, error);
    return sqliteFailure(error, this.#path);
  }

  close(): void {
    if (!this.#database.isOpen) return;
    if (this.#commits >= manyCommits) checkpoint(this.#database, this.#path);
    this.#database.close();
  }
}

// Not by the index: damage to an index shows nowhere else.
const latestUnnamed = /* sql */ `SELECT count(*) AS rows, max(seq) - min(seq) + 1 AS numbers,
    count(CASE WHEN identity = :identity AND named_by IS NULL THEN 1 END) AS same,
    (SELECT count(*) FROM losses WHERE what = 'intents') AS losses
  FROM intents NOT INDEXED WHERE seq > (SELECT max(seq) FROM intents) - :latest`;

/** A commit that waited for anything but the journal would lock out everybody else meanwhile. */
async function withinThisTurn<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const turn = setImmediate(() => {
    isOver = true;
  });
  try {
    const result = await work;
    if (isOver) throw new Error('a commit waited for something other than the journal');
    return result;
  } finally {
    clearImmediate(turn);
  }
}

type Statement = {
  readonly changes: boolean;
  /** Adds rows whose numbers the mark must know. */
  readonly numbers: keyof RowNumbers | undefined;
  run(values: Values): { readonly rows: readonly JournalRow[]; readonly numbered: number };
};

const nothing: readonly JournalRow[] = [];

/**
 * Only we use names; SQLite takes and returns plain lists. Objects that native code reads or makes property by property
 * are a tenth of what a row of a batch costs. What returns the row that it changed is asked for one row: for several,
 * the binding does not say which rule refused.
 */
function prepare(database: DatabaseSyncInstance, sql: string): Statement {
  const names = [...new Set(sql.match(/(?<=:)[a-z]\w*/giu) ?? [])];
  const numbers = /^INSERT INTO (intents|attempts|decisions) /u.exec(sql)?.[1] as
    | keyof RowNumbers
    | undefined;
  const whole = numbers === undefined ? sql : numberedOn(numbers, sql);
  const statement = database.prepare(
    whole.replace(/:([a-z]\w*)/giu, (_all, name) => `?${names.indexOf(name) + 1}`),
  );
  const columns = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  const listed = (values: Values): Cell[] => names.map((name) => (values[name] ?? null) as Cell);
  const rowOf = (cells: readonly Cell[]): JournalRow => {
    const row: Record<string, Cell> = {};
    for (let nth = 0; nth < columns.length; nth += 1) row[columns[nth] ?? ''] = cells[nth] ?? null;
    return row;
  };
  const isOfIntents = columns.includes('body');
  const changes = /^(?:INSERT|UPDATE)/u.test(sql);
  const run: Statement['run'] = changes
    ? columns.length === 0
      ? (values) => ({ rows: nothing, numbered: Number(statement.run(...listed(values)).lastInsertRowid) })
      : (values) => {
          const cells = statement.get(...listed(values)) as unknown as readonly Cell[] | undefined;
          return { rows: cells === undefined ? nothing : [rowOf(cells)], numbered: 0 };
        }
    : (values) => {
        const all = statement.all(...listed(values)) as unknown as (readonly Cell[])[];
        const rows = all.map(rowOf);
        return { rows: isOfIntents ? rows.map(sound) : rows, numbered: 0 };
      };
  return { changes, numbers, run };
}

type Cell = null | number | string | Uint8Array;
