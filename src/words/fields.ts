/** Rules and problems of single fields: a rule is said after `it must be`, a problem after the field's name. */
export const absent = 'is missing';
export const empty = 'is empty';
export const unknownField = { rule: 'a field of the service’s document', problem: 'is not known' } as const;
export const invalidField = { rule: 'as the service’s document says', problem: 'is not valid' } as const;
export const textRule = 'text';
export const halfPairProblem = 'has half a surrogate pair, which cannot be written as UTF-8';

/** What the fields are fields of. */
export const wholeRequest = 'the request';

const shapes: Readonly<Record<string, string>> = { object: 'an object', array: 'a list', string: 'a string' };

export function shapeOf(type: string): string {
  return shapes[type] ?? `a ${type}`;
}

/** A string in JSON is mistaken more often than not for a bare word. */
export function shapeRule(type: string): string {
  return type === 'string' ? 'a string, in double quotes' : shapeOf(type);
}

export function not(what: string): string {
  return `is not ${what}`;
}
