import type { DiskTrouble } from '../machine/disk.ts';
import { failing } from '../once/failures.ts';
import type { ComplaintOf, FieldRules, TextFault, Unseen } from '../once/intent/facts.ts';

/** Where a template names a column. Line and column of the text are counted from 1. */
export type TemplatePlace = { readonly line: number; readonly place: number };

/** Why a batch cannot be read, or why its report cannot be written. `source` names the file for people. */
export type BatchFacts = {
  'no-header': { readonly source: string; readonly known: readonly string[] };
  'bad-header': {
    readonly source: string;
    readonly unknown: readonly string[];
    /** Titles that are one name. */
    readonly twice: readonly (readonly string[])[];
    readonly missing: readonly string[];
    readonly known: readonly string[];
    readonly needed: readonly string[];
  };
  /** An option gives what the file has a column for. */
  'filled-column': { readonly source: string; readonly column: string };
  /** `what` is the parser's own text. */
  'not-csv': { readonly source: string; readonly line: number | undefined; readonly what: string };
  'long-column': { readonly source: string; readonly mostCharacters: number };
  'line-too-long': { readonly source: string; readonly line: number; readonly mostBytes: number };
  'not-utf8': { readonly source: string; readonly line: number };
  'template-brace': { readonly source: string };
  'template-column': { readonly source: string; readonly column: string };
  'no-such-column': {
    readonly source: string;
    readonly column: string;
    readonly at: TemplatePlace;
    readonly file: string;
    readonly columns: readonly string[];
  };
  interrupted: Record<never, never>;
  'report-link': { readonly path: string };
  'report-of-other': { readonly path: string };
  'report-not-a-file': { readonly path: string };
  'report-not-begun': { readonly path: string; readonly trouble: DiskTrouble };
  'report-not-finished': { readonly path: string; readonly trouble: DiskTrouble };
};

const codes = {
  'no-header': 'bad-file',
  'bad-header': 'bad-file',
  'filled-column': 'bad-file',
  'not-csv': 'bad-file',
  'long-column': 'bad-file',
  'line-too-long': 'bad-file',
  'not-utf8': 'bad-file',
  'template-brace': 'bad-file',
  'template-column': 'bad-file',
  'no-such-column': 'bad-file',
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
  'header-length': { readonly header: number; readonly cells: number };
  json: TextFault;
  id: { readonly mostBytes: number; readonly is: 'not-text' | 'empty' | 'too-long' | Unseen };
  'own-id': { readonly alsoOfLine: number };
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
