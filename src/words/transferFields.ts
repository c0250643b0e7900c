import { counted } from './list.ts';

/** Said where a transfer cannot be made as it was asked for: rules and problems of its fields. */
export const theTransfer = 'The transfer';

export const assetRule = 'SOL, or the string that names a token';
export const assetHasBlanks = 'has blanks around it, or control characters or invisible ones';
export function isNotSOL(asset: string): string {
  return `is "${asset}": write SOL`;
}

export const addressRule = 'a Solana address: 32 bytes in base58';
export function notBase58(position: number): string {
  return `has a character that base58 does not have, at position ${position}`;
}
export function addressTooLong(length: number): string {
  return `is ${length} characters long`;
}
export function addressBytes(bytes: number): string {
  return `is ${counted(bytes, 'byte')} long`;
}

export const walletRule =
  'an address that a wallet key controls; add --allow-off-curve if it belongs to a multisig vault or another program';
export const isOffCurve = 'is off the curve';
export function isKnown(what: string): string {
  return `is ${what}`;
}

export const amountRule = 'digits, or digits.digits, like 1.5';
export const amountProblems = {
  sign: 'has a sign',
  exponent: 'has an exponent',
  comma: 'has a comma',
  blank: 'has a blank',
  leadingZero: 'has a leading zero',
  bareFraction: 'has no digit before its dot',
  bareDot: 'has no digit after its dot',
  other: 'is not digits with at most one dot',
} as const;
export function amountTooLong(most: number): string {
  return `is longer than ${most} characters`;
}
export const positiveRule = 'more than zero';
export const isZero = 'is zero';
export function decimalsRule(most: number, asset: string): string {
  return `a number with at most ${most} decimals for ${asset}`;
}
export function hasDecimals(count: number): string {
  return `has ${count} decimals`;
}
