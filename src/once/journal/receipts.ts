import type { Guards, Receipt } from './journal.ts';

const longestBytes = 512;

/** A service's identifier in a form that every journal can store: without NUL, and short enough for an index. */
export function receiptValue(given: string): string {
  const value = given.replaceAll('\0', '\ufffd').toWellFormed();
  if (Buffer.byteLength(value) <= longestBytes) return value;
  // The help loads this file for the names of the states. Importing node:crypto would cost it 1.4 ms.
  return `sha256:${process.getBuiltinModule('node:crypto').hash('sha256', value)}`;
}

/** If two intents get the same receipt at the same time, one must see that the other has it. */
export function receiptGuards(receipts: readonly Receipt[]): Guards {
  return { alone: receipts.map(({ origin, what, value }) => `receipt ${origin} ${what} ${value}`) };
}
