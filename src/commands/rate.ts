import type { Given } from '../cli/given.ts';
import { notARate } from '../words/batchOptions.ts';

const unitsInS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** `--rate`: so many a second. */
export function rateOf(given: Given): number | undefined {
  const text = given.text('rate');
  if (text === undefined) return undefined;
  const [, count, unit] = /^([1-9]\d{0,6})\/(s|m|h)$/u.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) / (unitsInS[unit] ?? 1);
  throw notARate(text);
}
