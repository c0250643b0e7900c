import type { Complaint, OptionsOfField } from '../intent/complaint.ts';
import { absent } from './fields.ts';
import { listed } from './list.ts';
import { clipped, fewOf } from './short.ts';
import { Told } from './told.ts';

// A field's name, or what a problem quotes, may be as long as the file.
const mostOfProblem = 200;

/** What is wrong with one field: of what is not there at all there is no more to say. */
export function sentence({ field, rule, problem }: Complaint): string {
  if (problem === absent) return `${clipped(field)} ${problem}`;
  return `${clipped(field)} ${clipped(problem, mostOfProblem)} (it must be ${rule})`;
}

/** The first few complaints, and how many more there are. */
export function sentences(complaints: readonly Complaint[]): string {
  return fewOf(complaints.map(sentence), '; ', (count) => `and ${count} more problems`);
}

/** All complaints at once: a caller fixes them in one go. */
export function invalidRequest(
  complaints: readonly Complaint[],
  source: string,
  options: OptionsOfField = {},
): Told {
  const said = sentences(complaints.map((one) => withOption(one, options)));
  return new Told('bad-input', `${source} is not valid: ${said}`, {
    hint: hintOf(complaints, options),
  });
}

/** Of `components[0].label` it is the option of `components`. */
function optionsOf({ field }: Complaint, options: OptionsOfField): readonly string[] {
  const [root = ''] = /^\w+/u.exec(field) ?? [];
  return (Object.hasOwn(options, root) ? options[root] : undefined) ?? [];
}

function withOption(complaint: Complaint, options: OptionsOfField): Complaint {
  const [option] = optionsOf(complaint, options);
  return option === undefined ? complaint : { ...complaint, field: `${complaint.field} (${option})` };
}

function hintOf(complaints: readonly Complaint[], options: OptionsOfField): string {
  const lacking = complaints
    .filter(({ problem }) => problem === absent)
    .map((complaint) => optionsOf(complaint, options))
    .flatMap(([option, other]) => (option === undefined ? [] : [other ? `${option} (or ${other})` : option]));
  if (lacking.length === 0) return 'Fix it and run the command again.';
  const rest = lacking.length < complaints.length ? ', fix the rest' : '';
  return `Give ${listed(lacking)}${rest}, and run the command again.`;
}
