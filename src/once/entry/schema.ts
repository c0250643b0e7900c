import * as z from 'zod/mini';
import { type Complaint, complain, type FieldRules } from './rules.ts';

type Issue = z.core.$ZodIssue;

/** A zod check that says which rule a value breaks, and how. */
export function rule<Value, Rule extends keyof FieldRules>(
  name: Rule,
  breachOf: (value: Value) => FieldRules[Rule] | undefined,
) {
  return z.check<Value>((context) => {
    const value = breachOf(context.value);
    if (value === undefined) return;
    context.issues.push({ code: 'custom', input: context.value, params: { rule: name, value } });
  });
}

export function halfPair(value: string): 'half-pair' | undefined {
  return value.isWellFormed() ? undefined : 'half-pair';
}

type TextRule = 'text' | 'conversation' | 'label' | 'style' | 'custom-id' | 'component-type';

/** A string that is not empty and can be written as UTF-8. */
export function text(name: TextRule) {
  return z.string().check(rule(name, (value: string) => (value === '' ? 'empty' : halfPair(value))));
}

/** An empty string counts as absent. */
export function optionalText() {
  return z.optional(z.string().check(rule('text', halfPair)));
}

function complaintsOfIssue(issue: Issue): Complaint[] {
  // No schema here has fields within fields.
  const field = issue.path.map(String).join('.') || undefined;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => complain(key, 'known', 'unknown'));
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return [complain(field, 'given', 'missing')];
    return [complain(field, 'shape', issue.expected)];
  }
  if (issue.code === 'custom' && issue.params !== undefined) {
    const { rule: broken, value } = issue.params as Pick<Complaint, 'rule' | 'value'>;
    return [complain(field, broken, value)];
  }
  return [complain(field, 'valid', 'invalid')];
}

type Checked<Value> =
  | { readonly success: true; readonly data: Value; readonly complaints: readonly [] }
  | { readonly success: false; readonly complaints: readonly Complaint[] };

/** The checked value, or everything that is wrong with it. */
export function check<Value>(schema: z.ZodMiniType<Value>, value: unknown): Checked<Value> {
  // With the input in the issue, a missing value can be told from a wrong one.
  const checked = schema.safeParse(value, { reportInput: true });
  if (checked.success) return { success: true, data: checked.data, complaints: [] };
  return { success: false, complaints: checked.error.issues.flatMap(complaintsOfIssue) };
}
