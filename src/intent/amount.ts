import { empty } from '../words/fields.ts';
import {
  amountProblems,
  amountRule,
  amountTooLong,
  decimalsRule,
  hasDecimals,
  isZero,
  positiveRule,
} from '../words/transferFields.ts';
import { type Complaint, complain } from './complaint.ts';

/** Decimal places of the assets whose places are known. */
const knownDecimals: Readonly<Record<string, number>> = { SOL: 9 };

const shape = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/u;

// Long enough for any u64 with 18 places; short enough never to be a paste accident.
const maxDigits = 40;

function whyNot(text: string): string {
  if (text === '') return empty;
  if (/^[+-]/u.test(text)) return amountProblems.sign;
  if (/e/iu.test(text)) return amountProblems.exponent;
  if (text.includes(',')) return amountProblems.comma;
  if (/\s/u.test(text)) return amountProblems.blank;
  if (/^0[0-9]/u.test(text)) return amountProblems.leadingZero;
  if (text.startsWith('.')) return amountProblems.bareFraction;
  if (text.endsWith('.')) return amountProblems.bareDot;
  return amountProblems.other;
}

/** The amount in its one spelling (no trailing zeros), or what is wrong with it. Never a float. */
export function canonicalAmount(text: string, asset: string): string | Complaint {
  if (!shape.test(text)) return complain('amount', amountRule, whyNot(text));
  if (text.length > maxDigits) return complain('amount', amountRule, amountTooLong(maxDigits));
  const [whole = '0', fraction = ''] = text.split('.');
  const trimmed = fraction.replace(/0+$/u, '');
  if (whole === '0' && trimmed === '') return complain('amount', positiveRule, isZero);
  const decimals = knownDecimals[asset];
  if (decimals !== undefined && trimmed.length > decimals) {
    return complain('amount', decimalsRule(decimals, asset), hasDecimals(trimmed.length));
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

export function formatAmount({ units, decimals }: MinorUnits): string {
  if (decimals === 0) return units.toString();
  const digits = units.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/u, '');
  const whole = digits.slice(0, -decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
