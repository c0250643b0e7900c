import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Item } from './gathered.ts';
import type { SqlRow } from './rows.ts';

/** By name; what is not there is NULL. */
export type Bindings = Readonly<Record<string, undefined | null | number | string | Uint8Array>>;

/** A prepared statement whose parameters and columns have names. */
export type Statement = {
  run(bindings: Bindings): { readonly changes: number; readonly lastInsertRowid: number };
  get(bindings: Bindings): SqlRow | undefined;
  all(bindings: Bindings): SqlRow[];
};

/**
 * The names are ours alone, SQLite gets and gives plain lists: objects that are read and made property by
 * property from outside JavaScript are a tenth of what a row of a batch costs.
 */
export function prepare(database: DatabaseSyncInstance, sql: string): Statement {
  const names = [...new Set(sql.match(/(?<=:)[a-z]\w*/giu) ?? [])];
  const statement = database.prepare(
    sql.replace(/:([a-z]\w*)/giu, (_all, name) => `?${names.indexOf(name) + 1}`),
  );
  const listed = (bindings: Bindings): Cell[] => names.map((name) => bindings[name] ?? null);
  const columns = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  return {
    run: (bindings) => {
      const { changes, lastInsertRowid } = statement.run(...listed(bindings));
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
    },
    get: (bindings) => {
      const cells = statement.get(...listed(bindings)) as unknown as Cells | undefined;
      return cells === undefined ? undefined : rowOf(cells, columns);
    },
    all: (bindings) =>
      (statement.all(...listed(bindings)) as unknown as Cells[]).map((cells) => rowOf(cells, columns)),
  };
}

/** A prepared statement that does for many what was asked of them together. */
export type TogetherStatement = {
  run(items: readonly Item[]): void;
  /** Gives back the number of the last row; the first one is given, where SQLite is not to number them itself. */
  insert(items: readonly Item[], first: number | undefined): number;
  all(items: readonly Item[]): SqlRow[];
};

export function prepareTogether(database: DatabaseSyncInstance, sql: string): TogetherStatement {
  const statement = database.prepare(sql);
  const columns = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  return {
    run: (items) => {
      statement.run(JSON.stringify(items));
    },
    insert: (items, first) => Number(statement.run(JSON.stringify(items), first ?? null).lastInsertRowid),
    all: (items) =>
      (statement.all(JSON.stringify(items)) as unknown as Cells[]).map((cells) => rowOf(cells, columns)),
  };
}

type Cell = null | number | string | Uint8Array;
type Cells = readonly SqlRow[string][];

function rowOf(cells: Cells, columns: readonly string[]): SqlRow {
  const row: Record<string, SqlRow[string]> = {};
  for (let nth = 0; nth < columns.length; nth += 1) row[columns[nth] ?? ''] = cells[nth] ?? null;
  return row;
}
