import type { Exact, ExactObject } from './exactJson.ts';
import { Unreadable } from './reason.ts';

const greatest = 2n ** 64n - 1n;

export function objectOf(value: Exact | undefined, what: string): ExactObject {
  if (isObject(value)) return value;
  throw new Unreadable(`${what}/no-object`);
}

export function isObject(value: Exact | undefined): value is ExactObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function listOf(value: Exact | undefined, what: string): readonly Exact[] {
  if (Array.isArray(value)) return value as readonly Exact[];
  throw new Unreadable(`${what}/no-list`);
}

export function textOf(value: Exact | undefined, what: string): string {
  if (typeof value === 'string') return value;
  throw new Unreadable(`${what}/no-text`);
}

export function u64Of(value: Exact | undefined, what: string): bigint {
  if (typeof value === 'bigint' && value >= 0n && value <= greatest) return value;
  throw new Unreadable(`${what}/no-u64`);
}

/** The same, written as a text. */
export function u64InText(value: Exact | undefined, what: string): bigint {
  const text = textOf(value, what);
  if (!/^(?:0|[1-9]\d{0,19})$/u.test(text)) throw new Unreadable(`${what}/no-u64`);
  return u64Of(BigInt(text), what);
}

/** A whole number that a float holds. */
export function countOf(value: Exact | undefined, what: string): number {
  const count = u64Of(value, what);
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw new Unreadable(`${what}/too-great`);
  return Number(count);
}
