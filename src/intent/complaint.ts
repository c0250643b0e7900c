import { Failure } from '../errors.ts';

/** What is wrong with one field: the field, the rule, and the value's problem. */
export type Complaint = { readonly field: string; readonly rule: string; readonly problem: string };

/** Everything that is wrong with one request. */
export type Complaints = { readonly complaints: readonly Complaint[] };

export function complain(field: string, rule: string, problem: string): Complaint {
  return { field, rule, problem };
}

export function sentence({ field, rule, problem }: Complaint): string {
  return `${field} ${problem} (it must be ${rule})`;
}

/** All complaints at once: a caller mends them in one go. */
export function refusal(complaints: readonly Complaint[], source = 'The request'): Failure {
  return new Failure(
    'bad-input',
    `${source} is not valid: ${complaints.map(sentence).join('; ')}. Nothing was sent.`,
    {
      hint: 'Mend it and run the command again.',
    },
  );
}
