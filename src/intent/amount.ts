import { type Complaint, complain } from './complaint.ts';

/** Decimal places of the assets whose places are known. */
const knownPlaces: Readonly<Record<string, number>> = { SOL: 9 };

const shape = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/u;

// Long enough for any u64 with 18 places; short enough never to be a paste accident.
const maxDigits = 40;

function whyNot(text: string): string {
  if (text === '') return 'is empty';
  if (/^[+-]/u.test(text)) return 'has a sign';
  if (/e/iu.test(text)) return 'has an exponent';
  if (text.includes(',')) return 'has a comma';
  if (/\s/u.test(text)) return 'has a blank';
  if (/^0[0-9]/u.test(text)) return 'has a leading zero';
  if (text.startsWith('.')) return 'has no digit before its dot';
  if (text.endsWith('.')) return 'has no digit after its dot';
  return 'is not digits with at most one dot';
}

/** The amount in its one spelling (no trailing zeros), or what is wrong with it. Never a float. */
export function canonicalAmount(text: string, asset: string): string | Complaint {
  const rule = 'digits, or digits.digits, like 1.5';
  if (!shape.test(text)) return complain('amount', rule, whyNot(text));
  if (text.length > maxDigits) return complain('amount', rule, `is longer than ${maxDigits} characters`);
  const [whole = '0', fraction = ''] = text.split('.');
  const trimmed = fraction.replace(/0+$/u, '');
  if (whole === '0' && trimmed === '') return complain('amount', 'more than zero', 'is zero');
  const places = knownPlaces[asset];
  if (places !== undefined && trimmed.length > places) {
    return complain('amount', `of ${places} decimals at most for ${asset}`, `has ${trimmed.length} decimals`);
  }
  return trimmed === '' ? whole : `${whole}.${trimmed}`;
}

export type MinorUnits = { readonly units: bigint; readonly places: number };

/** An amount as whole minor units, for exact sums. */
export function minorUnits(amount: string): MinorUnits {
  const [whole = '0', fraction = ''] = amount.split('.');
  return { units: BigInt(whole + fraction), places: fraction.length };
}

export function addAmounts(left: MinorUnits, right: MinorUnits): MinorUnits {
  const places = Math.max(left.places, right.places);
  const scale = ({ units, places: own }: MinorUnits): bigint => units * 10n ** BigInt(places - own);
  return { units: scale(left) + scale(right), places };
}

export function formatAmount({ units, places }: MinorUnits): string {
  if (places === 0) return units.toString();
  const digits = units.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/u, '');
  const whole = digits.slice(0, -places);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
