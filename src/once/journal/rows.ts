import { readPayment } from '../entry/amount.ts';
import type { BaseUrl } from '../entry/baseUrl.ts';
import type { Kind } from '../entry/wanted.ts';
import type { Trouble } from '../wire/trouble.ts';
import { entryColumns, reading, states } from './columns.ts';
import type { Statement } from './dialect.ts';
import type { Entry, NewEntry, Resolution, RowGroup, State } from './journal.ts';

/** A row of either database; both have these columns. */
export type JournalRow = Readonly<Record<string, unknown>>;

/** A missing value is NULL. */
export type Values = Readonly<Record<string, undefined | null | boolean | number | string | Uint8Array>>;

export type Ask = (statement: Statement, values: Values) => Promise<readonly JournalRow[]>;

export type Cell = null | number | string | Uint8Array;

/** The values of a statement in the order of their numbers. */
export function valuesInOrder(statement: Statement, values: Values): Cell[] {
  return statement.values.map((name) => {
    const value = values[name] ?? null;
    return typeof value === 'boolean' ? Number(value) : value;
  });
}

export function optional<Value>(cell: unknown): Value | undefined {
  return cell === null || cell === undefined ? undefined : (cell as Value);
}

/** Replaces NULs and broken Unicode, which a database would cut or refuse. */
export function troubleText(trouble: Trouble | undefined): string | undefined {
  return JSON.stringify(trouble, (_field, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
  );
}

/** The trouble of an attempt whose process died, for statements that end such attempts. */
export const processDied = JSON.stringify({ is: 'process-died' } satisfies Trouble);

/** The schema checks what is written, so a row that breaks its checks was damaged on the disk. */
export class DamagedRow extends Error {}

// JavaScript has no later dates.
const lastMs = 8.64e15;

/** Throws if the values of an entry's row are impossible. */
export function sound(row: JournalRow): JournalRow {
  const isTimely = [row.created_at, row.updated_at].every((ms) => Math.abs(Number(ms)) <= lastMs);
  if (!isTimely || !(states as readonly unknown[]).includes(row.state)) throw new DamagedRow();
  return row;
}

const readEntry = reading(entryColumns);

export function entryOf(row: JournalRow, ownerLives: boolean): Entry {
  const derived = {
    ownerLives,
    approved: Boolean(row.approved),
    countsAtMs: optional<number>(row.counts_at),
  };
  return Object.assign(readEntry(row), derived);
}

export function rowGroupOf(row: JournalRow, ownerLives: boolean): RowGroup {
  return {
    kind: row.kind as Kind,
    baseUrl: row.base_url as BaseUrl,
    bot: row.bot as string,
    state: row.state as State,
    heldReason: optional<string>(row.why),
    resolvedAs: optional<Resolution>(row.resolved_as),
    approved: Boolean(row.approved),
    ownerLives,
    rows: Number(row.rows),
    paid: paidByAll(row.paid, Number(row.rows)),
    paidAs: optional<string>(row.paid_as),
    begunAtMs: Number(row.begun_at),
    updatedAtMs: Number(row.updated_at),
  };
}

/**
 * What all rows pay together. `cell` is the part of one row's `payment` after the recipient. Undefined for messages, or
 * if damaged.
 */
function paidByAll(cell: unknown, rows: number): RowGroup['paid'] {
  try {
    const { asset, units } = readPayment(`["",${String(cell)}`);
    return { asset, units: units * BigInt(rows) };
  } catch {
    return undefined;
  }
}

type EntryStart = Partial<Entry> & Pick<Entry, 'state'>;

/** An entry as it is when it begins or is proposed. */
export function entryAsBegun(entry: NewEntry, at: number, standing: EntryStart): Entry {
  const usual = {
    columns: undefined,
    wasInDoubt: false,
    inDoubtSinceMs: undefined,
    tokenHash: undefined,
    owner: undefined,
    heldReason: undefined,
    resolvedAs: undefined,
    approved: false,
    attempts: 0,
    reportedAtMs: undefined,
    ownerLives: false,
    countsAtMs: undefined,
  };
  return Object.assign(usual, entry, { createdAtMs: at, updatedAtMs: at }, standing);
}

const longestBytes = 512;

/** A service's identifier in a form that every journal can store: without NUL, and short enough for an index. */
export function receiptValue(receipt: string): string {
  const value = receipt.replaceAll('\0', '\ufffd').toWellFormed();
  if (Buffer.byteLength(value) <= longestBytes) return value;
  // The help loads this file for the names of the states. Importing node:crypto would cost it 1.4 ms.
  return `sha256:${process.getBuiltinModule('node:crypto').hash('sha256', value)}`;
}
