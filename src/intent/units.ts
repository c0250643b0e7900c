import { formatAmount, minorUnits } from './amount.ts';

/** As many places as an amount can have: one scale for all, so that every sum is one of whole numbers. */
const decimals = 38;

const scales = Array.from({ length: decimals + 1 }, (_, own) => 10n ** BigInt(decimals - own));

export function unitsOf(amount: string): bigint {
  const { units, decimals: own } = minorUnits(amount);
  const scale = scales[own];
  if (scale === undefined) throw new Error(`an amount has at most ${decimals} places`);
  return units * scale;
}

export function amountOf(units: bigint): string {
  return formatAmount({ units, decimals });
}
