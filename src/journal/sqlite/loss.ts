import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Loss, LostRows } from '../facts.ts';
import { highestOf, type Mark, type MarkFound, noRowNumbers, numbered, type RowNumbers } from './mark.ts';

/** What the mark says that the journal does not hold. */
export function lostRows(marked: RowNumbers, held: RowNumbers): LostRows[] {
  return numbered
    .map((what) => ({ what, first: held[what] + 1, last: marked[what] }))
    .filter(({ first, last }) => last >= first);
}

/** All rows that the mark knows, where the journal holds none of them. */
export function rowsKnownTo(found: MarkFound): LostRows[] {
  return found.is === 'mark' ? lostRows(found.mark.highest, noRowNumbers) : [];
}

/** The mark of a journal that holds all of what it says, or what was lost. Nothing where neither was ever made. */
export function checkMark(
  found: MarkFound,
  note: string | undefined,
  held: RowNumbers,
): Mark | Loss | undefined {
  if (note === undefined) {
    if (found.is === 'missing') return undefined;
    return { is: 'journal', found: 'older', rows: rowsKnownTo(found) };
  }
  if (found.is !== 'mark') return { is: 'mark', found: found.is };
  if (found.mark.id !== note) return { is: 'mark', found: 'anothers' };
  const rows = lostRows(found.mark.highest, held);
  return rows.length === 0 ? found.mark : { is: 'rows', rows };
}

/** Read from a database in one statement, so that no commit comes in between. */
const heldNumbers = `SELECT (SELECT max(seq) FROM intents) AS intents, (SELECT max(seq) FROM attempts) AS attempts,
                       (SELECT max(seq) FROM decisions) AS decisions`;
const acceptedLosses =
  'SELECT what, max(last_lost) AS last FROM losses WHERE last_lost IS NOT NULL GROUP BY what';

/** The numbers that are accounted for: given to rows that are there, or accepted as lost. */
export function accountedNumbers(database: DatabaseSyncInstance): RowNumbers {
  const row = database.prepare(heldNumbers).get() as Record<keyof RowNumbers, number | null>;
  const held = { intents: row.intents ?? 0, attempts: row.attempts ?? 0, decisions: row.decisions ?? 0 };
  return highestOf(held, lastAcceptedLost(database));
}

/** The last number of each kind that was accepted as lost. */
export function lastAcceptedLost(database: DatabaseSyncInstance): RowNumbers {
  const losses = database.prepare(acceptedLosses).all() as { what: keyof RowNumbers; last: number }[];
  return { ...noRowNumbers, ...Object.fromEntries(losses.map(({ what, last }) => [what, last])) };
}

export function writeMarkId(database: DatabaseSyncInstance, id: string): void {
  database
    .prepare(
      `INSERT INTO meta (name, value) VALUES ('mark', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    )
    .run(Buffer.from(id, 'hex'));
}

/** The id of the mark that must be beside a journal, as it is noted in it. */
export function readMarkId(database: DatabaseSyncInstance): string | undefined {
  const row = database.prepare(`SELECT value FROM meta WHERE name = 'mark'`).get() as
    | { value: Uint8Array }
    | undefined;
  return row === undefined ? undefined : Buffer.from(row.value).toString('hex');
}
