import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { type Intent, states } from '../journal.ts';
import { intentOf as intentOfRow } from '../rows.ts';

type Cell = null | number | bigint | string | Uint8Array;
export type SqlRow = Readonly<Record<string, Cell>>;

/** The schema checks what is written, so a row that breaks its checks was damaged on the disk. */
export class DamagedRow extends Error {}

function sound(row: SqlRow): SqlRow {
  const isTimely = [row.created_at, row.updated_at].every((ms) => Math.abs(Number(ms)) <= lastMs);
  if (!isTimely || !(states as readonly unknown[]).includes(row.state)) throw new DamagedRow();
  return row;
}

// JavaScript has no later dates.
const lastMs = 8.64e15;

export function intentOf(damageable: SqlRow, ownerLives: (owner: string) => boolean): Intent {
  const row = sound(damageable);
  return intentOfRow(row, isOwned(row, ownerLives));
}

export function isOwned({ owner }: SqlRow, ownerLives: (owner: string) => boolean): boolean {
  return typeof owner === 'string' && ownerLives(owner);
}

/** Values by name; a missing one is NULL. */
export type Bindings = Readonly<Record<string, undefined | null | number | string | Uint8Array>>;

/** A prepared statement whose parameters and columns have names. */
export type Statement = {
  run(bindings: Bindings): { readonly changes: number; readonly lastInsertRowid: number };
  get(bindings: Bindings): SqlRow | undefined;
  all(bindings: Bindings): SqlRow[];
};

/**
 * Only we use names; SQLite takes and returns plain lists. Objects that native code reads or makes property by property
 * are a tenth of what a row of a batch costs.
 */
export function prepare(database: DatabaseSyncInstance, sql: string): Statement {
  const names = [...new Set(sql.match(/(?<=:)[a-z]\w*/giu) ?? [])];
  const statement = database.prepare(
    sql.replace(/:([a-z]\w*)/giu, (_all, name) => `?${names.indexOf(name) + 1}`),
  );
  const listed = (bindings: Bindings): StatementCell[] => names.map((name) => bindings[name] ?? null);
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

type StatementCell = null | number | string | Uint8Array;
type Cells = readonly SqlRow[string][];

function rowOf(cells: Cells, columns: readonly string[]): SqlRow {
  const row: Record<string, SqlRow[string]> = {};
  for (let nth = 0; nth < columns.length; nth += 1) row[columns[nth] ?? ''] = cells[nth] ?? null;
  return row;
}

/** The values that a statement gets for one intent. */
export type Item = Readonly<Record<string, undefined | null | boolean | number | string>>;
