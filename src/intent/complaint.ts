import { absent } from '../words/fields.ts';

/** What is wrong with one field: the field, the rule, and the value's problem. */
export type Complaint = { readonly field: string; readonly rule: string; readonly problem: string };

/** Everything that is wrong with one request. */
export type Complaints = { readonly complaints: readonly Complaint[] };

/** The options that can give a field, the usual one first: of fields that came from a file there are none. */
export type OptionsOfField = Readonly<Record<string, readonly string[]>>;

export function complain(field: string, rule: string, problem: string): Complaint {
  return { field, rule, problem };
}

/** Of what is not there at all there is no more to say. */
export function missing(field: string, rule: string): Complaint {
  return { field, rule, problem: absent };
}
