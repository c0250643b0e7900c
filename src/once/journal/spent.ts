// SQL: what was spent.
import { addUnits, hourMs, hourOf, type UnitsByHour, unitsOf, unitsOfSums } from '../intent/amount.ts';
import type { Ask } from './rows.ts';
import { counts } from './schema.ts';

/** In one step of the index for each hour; the last of them has no end. */
const spent = `WITH RECURSIVE hours (hour) AS (SELECT :since
    UNION ALL SELECT hour + 1 FROM hours WHERE hour < :last)
  SELECT hour, (SELECT coalesce(sum(whole), 0) || ' ' || coalesce(sum(nanos), 0) || ' ' || count(odd) FROM intents
    WHERE asset = :asset AND ${counts} AND tried_at >= hour * 3600000
    AND tried_at < CASE WHEN hour = :last THEN 9000000000000000 ELSE (hour + 1) * 3600000 END) AS sums
  FROM hours`;

export const spendingQuestions = {
  spent,
  oddSpent: `SELECT tried_at, odd FROM intents WHERE asset = :asset AND ${counts} AND tried_at >= :since
    AND odd IS NOT NULL`,
  ownSpending: `SELECT payment, tried_at FROM intents WHERE id = :id AND ${counts}`,
} as const;

/** Those of a day, and of a day that lies in the future: a clock may have been set back. */
const countedHours = 48;

/** The units of an asset by the hour in which they were spent. */
export async function spentOf(asset: string, since: number, ask: Ask): Promise<UnitsByHour> {
  const units: UnitsByHour = new Map();
  let hasOdd = false;
  for (const { hour, sums } of await ask(spendingQuestions.spent, {
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
  for (const { tried_at: at, odd } of await ask(spendingQuestions.oddSpent, { asset, since: since * hourMs }))
    addUnits(units, hourOf(Number(at)), unitsOf(String(odd)));
  return units;
}
