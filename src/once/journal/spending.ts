import { unitsOf } from '../intent/amount.ts';

/** Units of an asset by the hour of their claim. Other claims in the same commit add to it. */
export type UnitsByHour = Map<number, bigint>;

/** What was spent of one asset: in all, and to one address. */
export type Spending = {
  /** The journal is complete from this time on; undefined if it is empty. */
  readonly sinceMs: number | undefined;
  readonly total: UnitsByHour;
  readonly toRecipient: UnitsByHour;
};

export type SpendingScope = {
  readonly asset: string;
  /** Set if the amount that one address got matters too. */
  readonly recipient: string | undefined;
  /** Earlier hours are left out. */
  readonly sinceHour: number;
};

/** What already counts as spent by an intent that is about to be claimed again. */
export type OwnSpending = { readonly hour: number; readonly units: bigint };

/** A bot that spent, and the URL where it did. */
export type Spender = { readonly bot: string; readonly url: string };

/** A paid address, and when it was first paid. */
export type PaidAddress = { readonly address: string; readonly sinceMs: number };

/** Upper and lower case count as one asset, as in `payment`: the service does not say whether it tells them apart. */
export function countedAsset(asset: string): string {
  return asset.toLowerCase();
}

/** The part of every `payment` of this asset, and of no other. */
export function assetInPayment(asset: string): string {
  return `,${JSON.stringify(countedAsset(asset))},`;
}

/** Read from the text alone: it is asked of each row of a batch. */
export function recipientIn(payment: string): string {
  return payment.slice(2, payment.indexOf('",'));
}

/** The recipient, asset and amount in an intent's `payment`. */
export function readPayment(payment: string): { to: string; asset: string; units: bigint } {
  const [to, asset, amount] = JSON.parse(payment) as [string, string, string];
  return { to, asset, units: unitsOf(amount) };
}

export function addUnits(units: UnitsByHour, hour: number, more: bigint): void {
  units.set(hour, (units.get(hour) ?? 0n) + more);
}
