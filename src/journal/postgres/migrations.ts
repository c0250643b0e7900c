import { descriptions } from './schema/descriptions.ts';
import { keeping, rules } from './schema/rules.ts';
import { spending } from './schema/spending.ts';
import { tables } from './schema/tables.ts';
import { views } from './schema/views.ts';

/**
 * Numbered steps from nothing to the journal on PostgreSQL as it is now. A step that has been released is never
 * changed; each runs in one transaction with the record of its number.
 */
export const migrations: readonly string[] = [
  ['SET LOCAL search_path = @schema, pg_temp;', tables, views, rules, spending, keeping, descriptions].join(
    '\n',
  ),
];

/** The SQL with the schema's name put in for its place, quoted. */
export function inSchema(schema: string, sql: string): string {
  const quoted = quotedName(schema);
  return sql.replaceAll('@schema', () => quoted);
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
