import type { DiskTrouble } from '../machine/disk.ts';
import { failing } from '../once/failures.ts';
import type { ComplaintOf, FieldRules, TextFault, Unseen } from '../once/intent/facts.ts';

/** Where a template names a column. Line and column of the text are counted from 1. */
export type TemplatePlace = { readonly line: number; readonly place: number };

/** Why a batch cannot be read, or why its report cannot be written. `source` names the file for people. */
export type BatchFacts = {
  /** `line` has the header. */
  'not-csv': { readonly source: string; readonly line: number };
  'long-column': { readonly source: string; readonly mostCharacters: number };
  'too-many-rows': { readonly source: string; readonly mostRows: number };
  'not-utf8': { readonly source: string; readonly line: number; readonly encoding: 'CP1252' | 'UTF-16' };
  workbook: { readonly source: string };
  'template-brace': { readonly source: string };
  'template-column': { readonly source: string; readonly column: string };
  interrupted: Record<never, never>;
  'report-link': { readonly path: string };
  'report-of-other': { readonly path: string };
  'report-not-a-file': { readonly path: string };
  'report-not-begun': { readonly path: string; readonly trouble: DiskTrouble };
  'report-not-finished': { readonly path: string; readonly trouble: DiskTrouble };
};

const codes = {
  'not-csv': 'bad-file',
  'long-column': 'bad-file',
  'too-many-rows': 'bad-file',
  'not-utf8': 'bad-file',
  workbook: 'bad-file',
  'template-brace': 'bad-file',
  'template-column': 'bad-file',
  interrupted: 'interrupted',
  'report-link': 'bad-file',
  'report-of-other': 'bad-file',
  'report-not-a-file': 'bad-file',
  'report-not-begun': 'machine-fault',
  'report-not-finished': 'machine-fault',
} as const;

export const batchFailure = failing<BatchFacts>('batch', codes);

/** The rules that only rows of a batch have, each with the facts about a value that breaks it. */
export type OwnRules = {
  object: 'other-json' | TextFault;
  quotes: 'unmatched';
  length: { readonly most: number };
  'header-length': { readonly header: number; readonly cells: number };
  json: TextFault;
  id: { readonly mostBytes: number; readonly is: 'not-text' | 'empty' | 'too-long' | Unseen };
  'own-id': { readonly id: string };
  'no-key': 'given';
  'own-column': { readonly keys: readonly string[] };
  filled: 'given';
  'decimal-comma': 'dot';
  'no-buttons': 'given';
  buttons: 'other';
  template: 'given' | { readonly column: string; readonly source: string; readonly at: TemplatePlace };
};

/** What is wrong with one field of a row; without a field, with the whole row. */
export type RowComplaint = ComplaintOf<FieldRules & OwnRules>;

export type RowComplaints = { readonly complaints: readonly RowComplaint[] };

export function complainOfRow<Rule extends keyof OwnRules>(
  field: string | undefined,
  rule: Rule,
  value: OwnRules[Rule],
): RowComplaint {
  return { field, rule, value } as RowComplaint;
}
