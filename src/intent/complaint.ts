import { Failure } from '../errors.ts';

/** What is wrong with one field: the field, the rule, and the value's problem. */
export type Complaint = { readonly field: string; readonly rule: string; readonly problem: string };

/** Everything that is wrong with one request. */
export type Complaints = { readonly complaints: readonly Complaint[] };

export function complain(field: string, rule: string, problem: string): Complaint {
  return { field, rule, problem };
}

const absent = 'is missing';

/** Of what is not there at all there is no more to say. */
export function missing(field: string, rule: string): Complaint {
  return { field, rule, problem: absent };
}

export function sentence({ field, rule, problem }: Complaint): string {
  if (problem === absent) return `${field} ${problem}`;
  return `${field} ${problem} (it must be ${rule})`;
}

/** The option that gives a field. */
export type OptionOfField = Readonly<Record<string, string>>;

function hintOf(complaints: readonly Complaint[], options: OptionOfField): string {
  const lacking = complaints.flatMap(({ field, problem }) => {
    const option = problem === absent && Object.hasOwn(options, field) ? options[field] : undefined;
    return option === undefined ? [] : [option];
  });
  return lacking.length === 0
    ? 'Mend it and run the command again.'
    : `Give ${new Intl.ListFormat('en').format(lacking)}, and run the command again.`;
}

/** All complaints at once: a caller mends them in one go. */
export function refusal(
  complaints: readonly Complaint[],
  source = 'The request',
  options: OptionOfField = {},
): Failure {
  return new Failure(
    'bad-input',
    `${source} is not valid: ${complaints.map(sentence).join('; ')}. Nothing was sent.`,
    {
      hint: hintOf(complaints, options),
    },
  );
}
