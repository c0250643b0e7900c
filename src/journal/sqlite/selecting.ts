import type { Selection } from '../journal.ts';

/** Which intents a selection means, newest first: their places in the journal, found by an index. */
export function selectionSql({ states, kind, sinceMs, limit }: Selection): {
  sql: string;
  bindings: Record<string, number | string>;
} {
  const conditions: string[] = [];
  const bindings: Record<string, number | string> = { limit };
  if (states !== undefined) {
    conditions.push(`state IN (${states.map((state) => `'${state}'`).join(', ')})`);
    // Lets SQLite use the index of what is not accepted.
    if (!states.includes('accepted')) conditions.push(`state <> 'accepted'`);
  }
  if (kind !== undefined) {
    conditions.push('kind = :kind');
    bindings.kind = kind;
  }
  if (sinceMs !== undefined) {
    conditions.push('created_at >= :since');
    bindings.since = sinceMs;
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const sql = `SELECT seq FROM intents ${where} ORDER BY created_at DESC, seq DESC LIMIT :limit`;
  return { sql, bindings };
}
