import * as z from 'zod/mini';
import {
  empty,
  halfPairProblem,
  invalidField,
  not,
  shapeOf,
  shapeRule,
  textRule,
  unknownField,
  wholeRequest,
} from '../words/fields.ts';
import { type Complaint, missing } from './complaint.ts';

type Issue = z.core.$ZodIssue;

/** A zod check that says the rule and the value's problem, in the words of the design. */
export function rule<Value>(text: string, problemOf: (value: Value) => string | undefined) {
  return z.check<Value>((context) => {
    const problem = problemOf(context.value);
    if (problem === undefined) return;
    context.issues.push({ code: 'custom', input: context.value, params: { rule: text, problem } });
  });
}

export function halfPair(value: string): string | undefined {
  return value.isWellFormed() ? undefined : halfPairProblem;
}

/** A string that can be written as UTF-8 and holds something. */
export function text(what: string) {
  return z.string().check(rule<string>(what, (value) => (value === '' ? empty : halfPair(value))));
}

/** Empty is the same as absent. */
export function optionalText() {
  return z.optional(z.string().check(rule<string>(textRule, halfPair)));
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((shown, part) => {
    if (typeof part === 'number') return `${shown}[${part}]`;
    return shown === '' ? String(part) : `${shown}.${String(part)}`;
  }, '');
}

function complaintsOfIssue(issue: Issue): Complaint[] {
  const field = fieldOf(issue.path) || wholeRequest;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: fieldOf([...issue.path, key]), ...unknownField }));
  }
  if (issue.code === 'invalid_type') {
    const what = shapeOf(issue.expected);
    if (issue.input === undefined) return [missing(field, what)];
    return [{ field, rule: shapeRule(issue.expected), problem: not(what) }];
  }
  if (issue.code === 'custom' && typeof issue.params?.rule === 'string') {
    return [{ field, rule: issue.params.rule, problem: String(issue.params.problem) }];
  }
  return [{ field, ...invalidField }];
}

type Checked<Value> =
  | { readonly success: true; readonly data: Value; readonly complaints: readonly [] }
  | { readonly success: false; readonly complaints: readonly Complaint[] };

/** A value held to its schema, or all that is wrong with it. */
export function check<Value>(schema: z.ZodMiniType<Value>, value: unknown): Checked<Value> {
  // With the input in the issue: what is missing is told from what is wrong.
  const checked = schema.safeParse(value, { reportInput: true });
  if (checked.success) return { success: true, data: checked.data, complaints: [] };
  return { success: false, complaints: checked.error.issues.flatMap(complaintsOfIssue) };
}
