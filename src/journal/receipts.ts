import { createHash } from 'node:crypto';
import type { Guards, Receipt } from './journal.ts';

const longestBytes = 512;

/** What a service calls something, so that every journal can hold it: text without a NUL, and no longer than an index takes. */
export function receiptValue(given: string): string {
  const value = given.replaceAll('\0', '\ufffd').toWellFormed();
  if (Buffer.byteLength(value) <= longestBytes) return value;
  return `sha256:${createHash('sha256').update(value).digest('hex')}`;
}

/** Of two that are given the same at the same time, one must see that the other has it. */
export function receiptGuards(receipts: readonly Receipt[]): Guards {
  return { alone: receipts.map(({ origin, what, value }) => `receipt ${origin} ${what} ${value}`) };
}
