import { endsOf } from '../../intent/addressEnds.ts';
import { unitsOf } from '../../intent/units.ts';
import type { SpendingReads } from '../journal.ts';
import {
  addUnits,
  countedAsset,
  type PaidAddress,
  type Spender,
  type Spending,
  type SpendingScope,
  type UnitsByHour,
} from '../spending.ts';
import type { Ask } from './gathered.ts';
import type { Row } from './rows.ts';

/**
 * What was spent. Within a transaction, the lock of the asset is held: each sum is read once, and whoever claims adds
 * to it, so that rows of a batch that are claimed in one statement see each other.
 */
export function spendingReads(
  ask: Ask,
  policyNumber: SpendingReads['policyNumber'],
  within?: WithinTransaction,
): SpendingReads {
  const isWithin = within !== undefined;
  const known = new Map<string, Promise<Summed>>();
  const once = (name: string, read: () => Promise<Summed>): Promise<Summed> => {
    const summed = (isWithin ? known.get(name) : undefined) ?? read();
    known.set(name, summed);
    return summed;
  };
  const sum = (scope: SpendingScope, recipient: string): Promise<Summed> => {
    const asset = countedAsset(scope.asset);
    return once(`${asset} ${recipient}`, async () => {
      const rows = await ask('spent', { asset, recipient, since: scope.sinceHour });
      if (isWithin && Number(rows[0]?.unsummed ?? 0) >= mostUnsummed) await ask('sumUp', { asset });
      return summedOf(rows);
    });
  };
  return {
    spending: async (scope): Promise<Spending> => {
      const { recipient } = scope;
      const [total, toRecipient] = await Promise.all([
        sum(scope, ''),
        recipient === undefined ? undefined : sum(scope, recipient),
      ]);
      return { sinceMs: total.sinceMs, total: total.units, toRecipient: toRecipient?.units ?? new Map() };
    },
    policyNumber: async () => (within === undefined ? policyNumber() : within.policyNumber),
    spenders: async (asset, since) =>
      (await ask('spenders', { asset: countedAsset(asset), since })).map(
        (row): Spender => ({ bot: row.bot as string, url: row.url as string }),
      ),
    ownSpending: async (id) => {
      const [row] = await ask('ownSpending', { id });
      const units = row === undefined ? 0n : unitsOf(String(row.units));
      return row === undefined || units <= 0n ? undefined : { hour: Number(row.hour), units };
    },
    paidLike: async (address) =>
      (await ask('paidLike', endsOf(address))).map(
        (row): PaidAddress => ({ address: row.address as string, sinceMs: Number(row.since) }),
      ),
  };
}

/** What was seen when the transaction had its locks. */
export type WithinTransaction = { readonly policyNumber: number | undefined };

export function numberOf(cell: Row[string] | undefined): number | undefined {
  return cell === null || cell === undefined ? undefined : Number(cell);
}

/** So many entries are added up with every question, before they are put into the sums. */
const mostUnsummed = 500;

type Summed = { readonly sinceMs: number | undefined; readonly units: UnitsByHour };

function summedOf(rows: readonly Row[]): Summed {
  const units: UnitsByHour = new Map();
  for (const { hour, units: text } of rows)
    if (hour !== null && hour !== undefined) addUnits(units, Number(hour), unitsOf(String(text)));
  return { sinceMs: numberOf(rows[0]?.complete_since), units };
}
