import * as z from 'zod/mini';
import type { Complaint } from './complaint.ts';

type Issue = z.core.$ZodIssue;

/** A zod check that says the rule and the value's problem, in the words of the design. */
export function rule<Value>(text: string, problemOf: (value: Value) => string | undefined) {
  return z.check<Value>((context) => {
    const problem = problemOf(context.value);
    if (problem === undefined) return;
    context.issues.push({ code: 'custom', input: context.value, params: { rule: text, problem } });
  });
}

/** A string that can be written as UTF-8 and holds something. */
export function text(what: string) {
  return z.string().check(
    rule<string>(what, (value) => {
      if (value === '') return 'is empty';
      return /\p{Cs}/u.test(value) ? 'has half a surrogate pair, which no UTF-8 can hold' : undefined;
    }),
  );
}

/** Empty is the same as absent. */
export function optionalText() {
  return z.optional(
    z
      .string()
      .check(
        rule<string>('text', (value) =>
          /\p{Cs}/u.test(value) ? 'has half a surrogate pair, which no UTF-8 can hold' : undefined,
        ),
      ),
  );
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((shown, part) => {
    if (typeof part === 'number') return `${shown}[${part}]`;
    return shown === '' ? String(part) : `${shown}.${String(part)}`;
  }, '');
}

function complaintsOfIssue(issue: Issue): Complaint[] {
  const field = fieldOf(issue.path) || 'the request';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: fieldOf([...issue.path, key]),
      rule: 'a field of the service’s document',
      problem: 'is not known',
    }));
  }
  if (issue.code === 'invalid_type') {
    const missing = issue.input === undefined;
    return [
      { field, rule: `a ${issue.expected}`, problem: missing ? 'is missing' : `is not a ${issue.expected}` },
    ];
  }
  if (issue.code === 'custom' && typeof issue.params?.rule === 'string') {
    return [{ field, rule: issue.params.rule, problem: String(issue.params.problem) }];
  }
  return [{ field, rule: 'as the service’s document says', problem: 'is not valid' }];
}

export function complaintsOf(error: z.core.$ZodError): Complaint[] {
  return error.issues.flatMap(complaintsOfIssue);
}
