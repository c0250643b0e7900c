/** A payload as the document's tables read it, or the first field that breaks a rule. */
export type Checked<T> = { ok: true; value: T } | { ok: false; field: string; rule: string };

export type Fields = Record<string, unknown>;

export class FieldError extends Error {
  readonly field: string;
  readonly rule: string;

  constructor(field: string, rule: string) {
    super(`${field} ${rule}`);
    this.field = field;
    this.rule = rule;
  }
}

/** Runs a reading of fields that stops at the first broken rule. */
export function check<T>(read: () => T): Checked<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof FieldError) return { ok: false, field: error.field, rule: error.rule };
    throw error;
  }
}

export function objectAt(value: unknown, field: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FieldError(field, 'must be an object');
  return value as Fields;
}

export function arrayAt(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value)) throw new FieldError(field, 'must be an array');
  return value;
}

export function requiredString(fields: Fields, name: string, at = name): string {
  const value = fields[name];
  if (value === undefined) throw new FieldError(at, 'is required');
  if (typeof value !== 'string') throw new FieldError(at, 'must be a string');
  return value;
}

export function filledString(fields: Fields, name: string, at = name): string {
  const value = requiredString(fields, name, at);
  if (value === '') throw new FieldError(at, 'must not be empty');
  return value;
}

export function optionalString(fields: Fields, name: string, at = name): string | undefined {
  return fields[name] === undefined ? undefined : requiredString(fields, name, at);
}

export function optionalKey(fields: Fields): string | undefined {
  return fields.idempotency_key === undefined ? undefined : filledString(fields, 'idempotency_key');
}
