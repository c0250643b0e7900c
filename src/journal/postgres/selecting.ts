import type { Intent, Selection } from '../journal.ts';
import { type Place, pageQueries } from './pageStatements.ts';
import type { Row } from './rows.ts';

export type SelectPage = (sql: string, values: unknown[]) => Promise<readonly Row[]>;

const pageLength = 500;

/** A page at a time, each found by an index: nothing is held on the server in between, nor here. */
export async function* select(
  selection: Selection,
  page: SelectPage,
  toIntent: (row: Row) => Intent,
): AsyncGenerator<Intent> {
  const edge = selection.oldestFirst === true ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  let after: Place = [edge, edge];
  for (let left = selection.limit; left > 0; ) {
    const length = Math.min(left, pageLength);
    let rows: readonly Row[] = [];
    for (const { sql, values, suits } of pageQueries(selection, after, length)) {
      if (suits !== undefined && Number((await page(suits.sql, suits.values))[0]?.count) > suits.most)
        continue;
      rows = await page(sql, values);
      if (suits !== undefined || rows.length === length) break;
    }
    for (const row of rows) yield toIntent(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < length) return;
    after = [last.created_at as number, last.seq as number];
    left -= rows.length;
  }
}
