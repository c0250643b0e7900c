import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { prepare, prepareTogether, type Statement, type TogetherStatement } from './statement.ts';
import { type TogetherName, togetherSql } from './together.ts';

/** Each is prepared once, when it is first asked for. */
export class PreparedStatements {
  readonly #database: DatabaseSyncInstance;
  readonly #prepared = new Map<string, Statement>();
  readonly #together = new Map<TogetherName, TogetherStatement>();

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

  together(name: TogetherName): TogetherStatement {
    const known = this.#together.get(name);
    if (known !== undefined) return known;
    const statement = prepareTogether(this.#database, togetherSql(name));
    this.#together.set(name, statement);
    return statement;
  }
}
