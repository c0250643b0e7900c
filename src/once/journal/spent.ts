// SQL: what was spent.
import { readPayment, type Spent, unitsOfSums } from '../entry/amount.ts';
import type { Dialect, Statement } from './dialect.ts';
import type { Ask } from './rows.ts';
import { countsAsPaid } from './schema.ts';

/**
 * What was spent of one asset since a time. Times in the future count too, because a clock may have been set back.
 * The order makes PostgreSQL use the index even if these rows are most of the table.
 */
export const spendingIn = ({ table }: Pick<Dialect, 'table'>) => {
  const since = `FROM ${table('entries')} WHERE asset = :asset AND ${countsAsPaid} AND tried_at > :since ORDER BY tried_at`;
  return {
    spending: `SELECT CAST(coalesce(sum(whole), 0) AS text) AS whole, CAST(coalesce(sum(nanos), 0) AS text) AS nanos,
      count(*) - count(whole) AS odd FROM (SELECT whole, nanos ${since}) AS spent`,
    spent: `SELECT id, tried_at, payment ${since}`,
  };
};

type SpendingVerbs = Readonly<Record<keyof ReturnType<typeof spendingIn>, Statement>>;

type Since = { readonly asset: string; readonly since: number };

export async function spendingOf(of: Since, verbs: SpendingVerbs, ask: Ask): Promise<bigint> {
  const [{ whole, nanos, odd } = {}] = await ask(verbs.spending, of);
  if (odd === 0) return unitsOfSums(String(whole), String(nanos));
  return (await spentOf(of, verbs, ask)).reduce((sum, { units }) => sum + units, 0n);
}

export async function spentOf(of: Since, verbs: SpendingVerbs, ask: Ask): Promise<Spent[]> {
  return (await ask(verbs.spent, of)).map(({ id, tried_at: at, payment }) => ({
    id: String(id),
    atMs: Number(at),
    units: readPayment(String(payment)).units,
  }));
}
