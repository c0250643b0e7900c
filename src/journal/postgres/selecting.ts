import type { Intent, Selection } from '../journal.ts';
import type { Row } from './rows.ts';
import { type Narrowing, pageStatement } from './statements.ts';

export type SelectPage = (sql: string, values: unknown[]) => Promise<readonly Row[]>;

function statesOf(states: Selection['states']): Narrowing['states'] {
  if (states === undefined) return 'any';
  return states.includes('accepted') ? 'some' : 'some-not-accepted';
}

const pageLength = 500;

/** A page at a time, each found by an index: nothing is held on the server in between, nor here. */
export async function* select(
  { states, kind, sinceMs, limit }: Selection,
  page: SelectPage,
  toIntent: (row: Row) => Intent,
): AsyncGenerator<Intent> {
  const sql = pageStatement({
    states: statesOf(states),
    kind: kind !== undefined,
    since: sinceMs !== undefined,
  });
  const filter = [states ?? null, kind ?? null, sinceMs ?? null];
  let before: readonly [number, number] = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  for (let left = limit; left > 0; ) {
    const rows = await page(sql, [...before, Math.min(left, pageLength), ...filter]);
    for (const row of rows) yield toIntent(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < Math.min(left, pageLength)) return;
    before = [last.created_at as number, last.seq as number];
    left -= rows.length;
  }
}
