// SQL: PostgreSQL's own way of writing it.
import type { Dialect } from '../once/journal/dialect.ts';

type Cell = null | number | string | boolean | Uint8Array;
export type SqlRow = Readonly<Record<string, Cell>>;

/** A time of the server, in milliseconds. */
export const inMs = (time: string): string => /* sql */ `(extract(epoch FROM ${time}) * 1000)::bigint`;

/** The server's clock now, not when the transaction began. */
export const nowMs = inMs('clock_timestamp()');

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The tables of a journal by their whole names, whatever the session's search path is. */
export function tablesIn(schema: string): (table: string) => string {
  const quoted = quotedName(schema);
  return (table) => `${quoted}.${table}`;
}

/** For SQL that names tables without a schema. Behind a pooler, a session's search path would apply to others too. */
export function onlyIn(schema: string): string {
  return /* sql */ `SET LOCAL search_path = ${quotedName(schema)}, pg_temp`;
}

export function dialectIn(schema: string): Dialect {
  const table = tablesIn(schema);
  return {
    value: '$',
    table,
    position: 'strpos',
    // PostgreSQL chooses indexes by what it knows of the values.
    unindexed: (column) => column,
    each: (value) => `(SELECT jsonb_array_elements_text(${value}::jsonb) AS one)`,
    withOwner: (entry) => /* sql */ `${entry}.*, (SELECT renewed_at FROM ${table('owners')}
      WHERE owners.id = ${entry}.owner AND owners.ended_at IS NULL) AS owner_renewed_at`,
  };
}
