import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { diskTroubleOf } from '../../../machine/disk.ts';
import { journalFailure } from '../facts.ts';
import { Mutex } from '../mutex.ts';
import { damaged, isConstraint, sqliteFailure } from './faults.ts';
import { lastAcceptedLost, type Mark, markPath, noRowNumbers, type RowNumbers } from './mark.ts';
import { checkpoint, fitLog, withoutSync } from './opening.ts';
import { isRefusedAsMoved, movedFailure } from './ownFiles.ts';
import { migrations } from './schema.ts';
import {
  type Bindings,
  type Item,
  numbered,
  prepare,
  type SetName,
  type SqlRow,
  type Statement,
  type StatementName,
  statements,
} from './statements.ts';

/** Enough for the re-run window of unnamed intents, which is hours at most. */
const latestLooked = 500;

/** No command for a single intent makes this many commits. */
const manyCommits = 50;

/** The database with its prepared statements, its one way of failing, and the mark that notes what it holds. */
export class Store {
  readonly #database: DatabaseSyncInstance;
  readonly #path: string;
  readonly #mark: Mark | undefined;
  readonly #lost: RowNumbers;
  /** Each statement is prepared when it is first used. */
  readonly #prepared = new Map<string, Statement>();
  readonly #turns = new Mutex();
  readonly #inThisCommit = new Map<string, unknown>();
  /** Kept since the journal was opened. A failed commit clears it. */
  readonly sinceOpened = new Map<string, unknown>();
  #isCommitting = false;
  #commits = 0;
  #given: RowNumbers = noRowNumbers;

  constructor(database: DatabaseSyncInstance, path: string, mark: Mark | undefined) {
    this.#database = database;
    this.#path = path;
    this.#mark = mark;
    this.#lost = this.guard(() => lastAcceptedLost(database));
  }

  get isCommitting(): boolean {
    return this.#isCommitting;
  }

  /** How many commits it has made. */
  get commits(): number {
    return this.#commits;
  }

  /** Keeps what was read for the rest of the commit: nobody else changes it meanwhile. */
  onceInCommit<Value>(name: string, read: () => Value): Value {
    if (!this.#isCommitting) return read();
    const value = (this.#inThisCommit.get(name) as Value | undefined) ?? read();
    this.#inThisCommit.set(name, value);
    return value;
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
    if (isConstraint(error) && !isSound(this.#database)) return damaged(this.#path, error);
    return sqliteFailure(error, this.#path);
  }

  close(): void {
    if (!this.#database.isOpen) return;
    if (this.#commits >= manyCommits) checkpoint(this.#database, this.#path);
    this.#database.close();
  }

  /** Runs `work` as one durable commit. Meanwhile nobody else reads or writes. */
  commit<Result>(work: () => Promise<Result>, unsynced: boolean): Promise<Result> {
    return this.#turns.alone(async () => {
      try {
        const result = await (unsynced
          ? withoutSync(this.#database, () => this.#transact(work))
          : this.#transact(work));
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
    this.#given = noRowNumbers;
    this.#inThisCommit.clear();
    this.#isCommitting = true;
    try {
      const result = await withinThisTurn(work());
      this.#database.exec('COMMIT');
      this.#commits += 1;
      return result;
    } catch (error) {
      this.sinceOpened.clear();
      // After a full disk or an I/O error SQLite may have rolled back already.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    } finally {
      this.#isCommitting = false;
    }
  }

  /** A read outside of a commit never sees what is not committed yet. */
  read<Result>(read: () => Result): Promise<Result> {
    return this.#turns.between(() => this.guard(read));
  }

  /** Several reads that see the same rows, whatever others commit in between. */
  asOfOneMoment<Result>(read: () => Result): Result {
    if (this.#database.isTransaction) return read();
    return this.guard(() => {
      this.#database.exec('BEGIN');
      try {
        return read();
      } finally {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      }
    });
  }

  /** Raises the mark after the commit, and before a byte leaves. If that fails, nothing may leave. */
  #noteGiven(): void {
    if (this.#given === noRowNumbers) return;
    try {
      this.#mark?.raise(this.#given);
    } catch (error) {
      const mark = markPath(this.#path);
      throw journalFailure('mark-not-writable', { mark, trouble: diskTroubleOf(error) }, error);
    }
  }

  #statement(sql: string): Statement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = prepare(this.#database, sql);
    this.#prepared.set(sql, statement);
    return statement;
  }

  run(name: StatementName, bindings: Bindings): number {
    this.#mustCommit();
    return this.guard(() => this.#statement(statements[name]).run(bindings).changes);
  }

  /** Adds numbered rows within a commit, and returns the last number. Numbers of lost rows are not used again. */
  insert(name: StatementName, what: keyof RowNumbers, bindings: Bindings): number {
    this.#mustCommit();
    return this.guard(() => {
      // A value that is not bound is NULL.
      const bound = { ...bindings, seq: this.#firstFree(what) };
      const { lastInsertRowid } = this.#statement(statements[name]).run(bound);
      this.#given = { ...this.#given, [what]: lastInsertRowid };
      return lastInsertRowid;
    });
  }

  /** Runs one statement for several items. Each row of the answer says whose it is. */
  ask(name: SetName, items: readonly Item[]): SqlRow[] {
    const bindings = { given: JSON.stringify(items) };
    if (statements[name].startsWith('SELECT')) return this.allOf(statements[name], bindings);
    const what = numbered[name];
    if (what === undefined) this.run(name, bindings);
    else this.insert(name, what, bindings);
    return [];
  }

  /** Changes one row, and returns it as it is then. */
  change<Result>(name: StatementName, bindings: Bindings, read: (row: SqlRow) => Result): Result | undefined {
    this.#mustCommit();
    return this.one(name, bindings, read);
  }

  /** A call after the end of the commit would change the journal in a commit of its own, past every guard. */
  #mustCommit(): void {
    if (!this.#isCommitting) throw new Error('this transaction is over');
  }

  /** Only after a loss. Otherwise SQLite numbers the rows itself. */
  #firstFree(what: keyof RowNumbers): number | undefined {
    if (this.#lost[what] === 0) return undefined;
    const highest = this.one(`${what}Highest`, {}, (row) => Number(row.seq)) ?? 0;
    return Math.max(highest, this.#lost[what]) + 1;
  }

  one<Result>(name: StatementName, bindings: Bindings, read: (row: SqlRow) => Result): Result | undefined {
    return this.guard(() => {
      const row = this.#statement(statements[name]).get(bindings);
      return row === undefined ? undefined : read(row);
    });
  }

  /**
   * A damaged index finds nothing although the intent is there, and it would be sent again. So the latest intents are
   * checked one by one.
   */
  assureNothing(identity: string): void {
    const looked = this.one('latestUnnamed', { identity, latest: latestLooked }, (row) => row);
    const { rows = 0, same = 0, numbers } = looked ?? {};
    const isWhole = numbers === null || this.#lost.intents > 0 || rows === numbers;
    if (same !== 0 || !isWhole) throw damaged(this.#path);
  }

  all<Result>(name: StatementName, bindings: Bindings, read: (row: SqlRow) => Result): Result[] {
    return this.guard(() => this.#statement(statements[name]).all(bindings).map(read));
  }

  /** The rows found by a statement that was built for a selection. */
  allOf(sql: string, bindings: Bindings): SqlRow[] {
    return this.guard(() => this.#statement(sql).all(bindings));
  }
}

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

/**
 * Whether a journal is as it was written: its pages, its rows by the schema's checks, and the text of its schema, where
 * a flipped bit shows nowhere else. Slow, so called only if something is wrong already.
 */
function isSound(database: DatabaseSyncInstance): boolean {
  try {
    const checked = database.prepare(/* sql */ 'PRAGMA integrity_check(1)').get() as {
      integrity_check?: string;
    };
    return checked.integrity_check === 'ok' && schemaOf(database) === freshSchema();
  } catch {
    return false;
  }
}

function schemaOf(database: DatabaseSyncInstance): string {
  return JSON.stringify(
    database.prepare(/* sql */ 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all(),
  );
}

function freshSchema(): string {
  const fresh = new DatabaseSync(':memory:');
  try {
    for (const step of migrations) fresh.exec(step);
    return schemaOf(fresh);
  } finally {
    fresh.close();
  }
}
