import { type BadAmount, type Complaint, complain } from './rules.ts';

/** The known decimal places, by asset in lower case. */
const knownDecimals: Readonly<Record<string, number>> = { sol: 9 };

const shape = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/u;

// Long enough for any u64 with 18 places, and too short for most pasting accidents.
const maxDigits = 40;

function whyNot(text: string): BadAmount {
  if (text === '') return 'empty';
  if (/^#[A-Z]/u.test(text)) return 'sheet-error';
  if (/\p{Sc}/u.test(text)) return 'currency';
  if (/^[+-]/u.test(text)) return 'sign';
  if (/\de/iu.test(text)) return 'exponent';
  if (/\s/u.test(text)) return 'blank';
  if (/[^0-9.,]/u.test(text)) return 'other';
  if (text.includes(',')) return 'comma';
  if (/^0[0-9]/u.test(text)) return 'leading-zero';
  if (text.startsWith('.')) return 'bare-fraction';
  if (text.endsWith('.')) return 'bare-dot';
  return 'other';
}

/** The amount in its one spelling (no trailing zeros), or what is wrong with it. Never a float. */
export function canonicalAmount(text: string, asset: string): string | Complaint {
  if (!shape.test(text)) return complain('amount', 'amount', whyNot(text));
  if (text.length > maxDigits) return complain('amount', 'amount', { longerThan: maxDigits });
  const [whole = '0', fraction = ''] = text.split('.');
  const trimmed = fraction.replace(/0+$/u, '');
  if (whole === '0' && trimmed === '') return complain('amount', 'positive', 'zero');
  const decimals = knownDecimals[countedAsset(asset)];
  if (decimals !== undefined && trimmed.length > decimals) {
    return complain('amount', 'decimals', { most: decimals, asset, decimals: trimmed.length });
  }
  return trimmed === '' ? whole : `${whole}.${trimmed}`;
}

export type MinorUnits = { readonly units: bigint; readonly decimals: number };

/** An amount as whole minor units, for exact sums. */
export function minorUnits(amount: string): MinorUnits {
  const [whole = '0', fraction = ''] = amount.split('.');
  return { units: BigInt(whole + fraction), decimals: fraction.length };
}

export function addAmounts(left: MinorUnits, right: MinorUnits): MinorUnits {
  const decimals = Math.max(left.decimals, right.decimals);
  const scale = ({ units, decimals: own }: MinorUnits): bigint => units * 10n ** BigInt(decimals - own);
  return { units: scale(left) + scale(right), decimals };
}

export function isLess(left: MinorUnits, { units, decimals }: MinorUnits): boolean {
  return addAmounts(left, { units: -units, decimals }).units < 0n;
}

export function formatAmount({ units, decimals }: MinorUnits): string {
  if (decimals === 0) return units.toString();
  const digits = units.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/u, '');
  const whole = digits.slice(0, -decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The most decimal places that an amount can have. One scale for all amounts keeps every sum a whole number. */
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

/** What was spent of an asset. Other claims in the same commit add to it. */
export type Spending = { units: bigint };

/** A payment that counts as spent, at its latest attempt. */
export type Spent = { readonly id: string; readonly atMs: number; readonly units: bigint };

/**
 * Names that differ only in case are one asset, also in `payment`: the service does not say whether it tells them
 * apart, and two tokens whose names differ only in case are rare.
 */
export function countedAsset(asset: string): string {
  return asset.toLowerCase();
}

/** The recipient, asset and amount in an entry's `payment`. */
export function readPayment(payment: string): { to: string; asset: string; units: bigint } {
  const [to, asset, amount] = JSON.parse(payment) as [string, string, string];
  return { to, asset, units: unitsOf(amount) };
}

/** A larger amount, or a finer one, is added up outside the database: no sum in the database may overflow. */
const mostSummed = 1e12;

function summedAmount(amount: string): { whole?: number; nanos?: number } {
  const [whole = '0', fraction = ''] = amount.split('.');
  if (fraction.length > 9 || Number(whole) > mostSummed) return {};
  return { whole: Number(whole), nanos: Number(fraction.padEnd(9, '0')) };
}

export function unitsOfSums(whole: string, nanos: string): bigint {
  return BigInt(whole) * unitsOf('1') + BigInt(nanos) * unitsOf('0.000000001');
}

/** The asset and the amount in an entry's `payment`, in the form for sums. A damaged payment is in no sum. */
export function summedPayment(payment?: string): { asset?: string } & ReturnType<typeof summedAmount> {
  if (payment === undefined) return {};
  try {
    const [, asset, amount] = JSON.parse(payment) as [string, string, string];
    return { asset, ...summedAmount(amount) };
  } catch {
    return {};
  }
}
