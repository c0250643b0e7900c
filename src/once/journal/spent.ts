// SQL: what was spent.
import { addUnits, hourMs, hourOf, type UnitsByHour, unitsOf, unitsOfSums } from '../intent/amount.ts';
import type { Dialect, Statement } from './dialect.ts';
import type { Ask } from './rows.ts';
import { counts } from './schema.ts';

export const spendingIn = ({ table }: Pick<Dialect, 'table'>) => ({
  /** In one step of the index for each hour; the last of them has no end. */
  spent: `WITH RECURSIVE hours (hour) AS (SELECT CAST(:since AS bigint)
      UNION ALL SELECT hour + 1 FROM hours WHERE hour < :last)
    SELECT hour, (SELECT coalesce(sum(whole), 0) || ' ' || coalesce(sum(nanos), 0) || ' ' || count(odd)
      FROM ${table('intents')} WHERE asset = :asset AND ${counts} AND tried_at >= hour * 3600000
      AND tried_at < CASE WHEN hour = :last THEN 9000000000000000 ELSE (hour + 1) * 3600000 END) AS sums
    FROM hours`,
  oddSpent: `SELECT tried_at, odd FROM ${table('intents')}
    WHERE asset = :asset AND ${counts} AND tried_at >= :since AND odd IS NOT NULL`,
  ownSpending: `SELECT payment, tried_at FROM ${table('intents')} WHERE id = :id AND ${counts}`,
});

type SpendingVerbs = Readonly<Record<'spent' | 'oddSpent', Statement>>;

/** Those of a day, and of a day that lies in the future: a clock may have been set back. */
const countedHours = 48;

/** The units of an asset by the hour in which they were spent. */
export async function spentOf(
  asset: string,
  since: number,
  verbs: SpendingVerbs,
  ask: Ask,
): Promise<UnitsByHour> {
  const units: UnitsByHour = new Map();
  let hasOdd = false;
  for (const { hour, sums } of await ask(verbs.spent, {
    asset,
    since,
    last: since + countedHours,
  })) {
    const [whole = '0', nanos = '0', odd] = String(sums).split(' ');
    const sum = unitsOfSums(whole, nanos);
    if (sum !== 0n) units.set(Number(hour), sum);
    hasOdd ||= odd !== '0';
  }
  if (!hasOdd) return units;
  for (const { tried_at: at, odd } of await ask(verbs.oddSpent, { asset, since: since * hourMs }))
    addUnits(units, hourOf(Number(at)), unitsOf(String(odd)));
  return units;
}
