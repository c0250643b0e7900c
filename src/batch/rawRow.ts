import type { RowComplaint } from './rowRules.ts';

/** A row as it was read, before anything is asked of its fields. Empty cells are absent. */
export type RawRow = ReadRow | UnreadableRow;

export type ReadRow = { readonly line: number; readonly fields: Readonly<Record<string, unknown>> };

type UnreadableRow = {
  readonly line: number;
  readonly id?: string;
  readonly complaints: readonly RowComplaint[];
};

/** No request of this service is that long. */
export const maxRowBytes = 1024 * 1024;
