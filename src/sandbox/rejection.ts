type More = { field?: string; retryAfterMs?: number; headers?: [string, string][] };

/** Thrown to refuse a request. */
export class Rejection extends Error {
  readonly status: number;
  readonly code: string;
  readonly more: More;

  constructor(status: number, code: string, message: string, more: More = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

export const badCall = (message: string): Rejection => new Rejection(400, 'invalid_control', message);

/** What a value of the control interface must be. */
export type Rule = { accepts: (value: unknown) => boolean; rule: string };

export const oneOf = (...values: unknown[]): Rule => ({
  accepts: (value) => values.includes(value),
  rule: values.join(', ').replace(/, (?=[^,]*$)/u, ' or '),
});

/** Refuses a name without a rule, and a value that breaks it. */
export function obey(rules: Readonly<Record<string, Rule>>, name: string, value: unknown): void {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined) throw badCall(`there is no ${JSON.stringify(name)} here`);
  if (!rule.accepts(value)) throw badCall(`${name} must be ${rule.rule}`);
}
