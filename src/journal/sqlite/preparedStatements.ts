import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { prepare, type Statement } from './statement.ts';

/** Each is prepared once, when it is first asked for. */
export class PreparedStatements {
  readonly #database: DatabaseSyncInstance;
  readonly #prepared = new Map<string, Statement>();

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
  }

  of(sql: string): Statement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = prepare(this.#database, sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
