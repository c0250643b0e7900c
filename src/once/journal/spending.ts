import { unitsOf } from '../intent/amount.ts';

/** Units of an asset by the hour in which they were claimed; whoever claims in the same commit adds to them. */
export type UnitsByHour = Map<number, bigint>;

/** What was spent of one asset, and of it to one address. */
export type Spending = {
  /** Since when the journal is complete; absent where there is nothing in it yet. */
  readonly sinceMs: number | undefined;
  readonly total: UnitsByHour;
  readonly toRecipient: UnitsByHour;
};

export type SpendingScope = {
  readonly asset: string;
  /** Where what one address got matters, too. */
  readonly recipient: string | undefined;
  /** Of hours before it nothing is asked. */
  readonly sinceHour: number;
};

/** What counts as spent already of an intent that is about to be claimed again. */
export type OwnSpending = { readonly hour: number; readonly units: bigint };

/** A bot that spent, and where. */
export type Spender = { readonly bot: string; readonly url: string };

/** An address that was paid, and since when. */
export type PaidAddress = { readonly address: string; readonly sinceMs: number };

/** Two spellings of an asset are one, as in `payment`: the service does not say whether it tells them apart. */
export function countedAsset(asset: string): string {
  return asset.toLowerCase();
}

/** Who got how much of what, from an intent's `payment`. */
export function readPayment(payment: string): { to: string; asset: string; units: bigint } {
  const [to, asset, amount] = JSON.parse(payment) as [string, string, string];
  return { to, asset, units: unitsOf(amount) };
}

export function addUnits(units: UnitsByHour, hour: number, more: bigint): void {
  units.set(hour, (units.get(hour) ?? 0n) + more);
}
