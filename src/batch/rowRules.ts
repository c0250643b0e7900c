import type { ComplaintOf, FieldRules } from '../intent/complaint.ts';
import type { TextFault } from '../intent/facts.ts';
import type { Unseen } from '../intent/invisible.ts';
import type { TemplatePlace } from './facts.ts';

/** The rules that only rows of a batch have, each with what is told of a value that breaks it. */
export type OwnRules = {
  object: 'other-json' | TextFault;
  'header-length': { readonly header: number; readonly cells: number };
  json: TextFault;
  id: { readonly mostBytes: number; readonly is: 'not-text' | 'empty' | 'too-long' | Unseen };
  'own-id': { readonly alsoOfLine: number };
  'no-key': 'given';
  'no-buttons': 'given';
  buttons: 'other';
  template: 'given' | { readonly column: string; readonly source: string; readonly at: TemplatePlace };
};

/** What is wrong with a row: of one of its fields, or without a field of the whole row. */
export type RowComplaint = ComplaintOf<FieldRules & OwnRules>;

export type RowComplaints = { readonly complaints: readonly RowComplaint[] };

export function complainOfRow<Rule extends keyof OwnRules>(
  field: string | undefined,
  rule: Rule,
  value: OwnRules[Rule],
): RowComplaint {
  return { field, rule, value } as RowComplaint;
}
