import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { diskTroubleOf } from '../../../machine/disk.ts';
import type { Failure } from '../../failures.ts';
import { type Statement, statementIn } from '../dialect.ts';
import { factsOf, journalFailure } from '../failures.ts';
import { Mutex } from '../mutex.ts';
import { type Ask, type Cell, type JournalRow, sound, type Values, valuesInOrder } from '../rows.ts';
import { schemaVersion } from '../schema.ts';
import type { Base, OwnReads } from '../store.ts';
import { fileDialect, fileVerbs, isSchemaWhole } from './fileSchema.ts';
import { foldLog } from './opening.ts';
import type { ProcessOwners } from './ownFiles.ts';
import { damaged, isConstraint, sqliteFailure } from './sqliteErrors.ts';

/** The `Base` of a journal in a file: prepares each statement once, and turns SQLite's errors into failures. */
export class FileBase implements Base {
  readonly #database: DatabaseSyncInstance;
  readonly #path: string;
  /** Each statement is prepared when it is first used. */
  readonly #prepared = new Map<string, Prepared>();
  readonly #turns = new Mutex();
  readonly dialect = fileDialect;
  readonly verbs = fileVerbs;
  readonly owners: Base['owners'];
  readonly reads: OwnReads = { processOf: async () => undefined };
  #isCommitting = false;
  #commits = 0;

  constructor(database: DatabaseSyncInstance, path: string, owners: ProcessOwners) {
    this.#database = database;
    this.#path = path;
    this.owners = {
      self: () => this.guard(() => owners.self()),
      lives: ({ owner }) => typeof owner === 'string' && owners.isAlive(owner),
      endOwner: async (owner) => {
        if (owners.isAlive(owner)) return false;
        owners.forget(owner);
        return true;
      },
    };
  }

  readonly ask: Ask = (statement, values) => this.#turns.alone(async () => this.#asked(statement, values));

  /** True if the commit was made but could not be noted: then nothing may be sent. */
  failedAsWhole(reason: unknown): boolean {
    return factsOf(reason, 'note-not-writable') !== undefined;
  }

  transact<Result>(work: (ask: Ask, reads: OwnReads) => Promise<Result>): Promise<Result> {
    const ask: Ask = async (statement, values) => this.#asked(statement, values);
    return this.#turns.alone(async () => {
      try {
        return await this.#transact(() => work(ask, this.reads));
      } catch (error) {
        throw this.#failure(error);
      }
    });
  }

  async #transact<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#database.exec(/* sql */ 'BEGIN IMMEDIATE');
    this.#isCommitting = true;
    try {
      const version = Number(this.#prepare(number).run({})[0]?.user_version);
      if (version !== schemaVersion)
        throw journalFailure('other-version', { path: this.#path, version, known: schemaVersion });
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

  /** If this machine cannot note a commit, nothing may be sent. */
  notNoted(error: unknown): Failure {
    const trouble = diskTroubleOf(error);
    return journalFailure('note-not-writable', { note: `${this.#path}.note`, trouble }, error);
  }

  #asked(statement: Statement, values: Values): readonly JournalRow[] {
    return this.guard(() => {
      // Outside a transaction, the statement would commit by itself, without any guard.
      if (statement.changes && !this.#isCommitting) throw new Error('this transaction is over');
      return this.#prepare(statement).run(values);
    });
  }

  #prepare(statement: Statement): Prepared {
    const known = this.#prepared.get(statement.text) ?? prepare(this.#database, statement);
    this.#prepared.set(statement.text, known);
    return known;
  }

  guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    if (isConstraint(error) && !isSchemaWhole(this.#database)) return damaged(this.#path, error);
    return sqliteFailure(error, this.#path);
  }

  close(): void {
    if (!this.#database.isOpen) return;
    if (this.#commits > 0) foldLog(this.#database);
    this.#database.close();
  }
}

const number = statementIn(fileDialect, /* sql */ 'PRAGMA user_version');

/** A commit that waited for anything but the journal would lock out all other processes meanwhile. */
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

type Prepared = { run(values: Values): readonly JournalRow[] };

const nothing: readonly JournalRow[] = [];

/**
 * Values and rows are plain lists: with objects, native code would spend a tenth of a batch row's time on their
 * properties. Ask a statement with RETURNING for one row: when the binding reads several, it does not say which rule
 * refused.
 */
function prepare(database: DatabaseSyncInstance, statement: Statement): Prepared {
  const prepared = database.prepare(statement.text);
  const columns = prepared.columns().map(({ name }) => name);
  prepared.setReturnArrays(true);
  const rowOf = (cells: readonly Cell[]): JournalRow => {
    const row: Record<string, Cell> = {};
    for (let nth = 0; nth < columns.length; nth += 1) row[columns[nth] ?? ''] = cells[nth] ?? null;
    return row;
  };
  const isOfEntries = columns.includes('body');
  const run: Prepared['run'] = statement.changes
    ? columns.length === 0
      ? (values) => {
          prepared.run(...valuesInOrder(statement, values));
          return nothing;
        }
      : (values) => {
          const cells = prepared.get(...valuesInOrder(statement, values)) as unknown as
            | readonly Cell[]
            | undefined;
          return cells === undefined ? nothing : [rowOf(cells)];
        }
    : (values) => {
        const all = prepared.all(...valuesInOrder(statement, values)) as unknown as (readonly Cell[])[];
        const rows = all.map(rowOf);
        return isOfEntries ? rows.map(sound) : rows;
      };
  return { run };
}
