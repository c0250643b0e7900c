import { createHash } from 'node:crypto';
import { type Checked, check, FieldError, type Fields, objectAt } from './payload.ts';

type JsonRequest = { text: string; fields: Fields; hash: string };

export function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

/** The value the bytes mean, or undefined where they are no JSON in UTF-8. */
export function decodeJson(bytes: Uint8Array): { text: string; value: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export function readRequest(bytes: Uint8Array): Checked<JsonRequest> {
  const decoded = decodeJson(bytes);
  if (decoded === undefined) return { ok: false, field: 'body', rule: 'must be JSON in UTF-8' };
  return check(() => {
    const fields = objectAt(decoded.value, 'body');
    return { text: decoded.text, fields, hash: hashOf(fields) };
  });
}

export function keyIn(value: unknown): string | undefined {
  const key = typeof value === 'object' && value !== null ? (value as Fields).idempotency_key : undefined;
  return typeof key === 'string' ? key : undefined;
}

/** Two bodies are the same request when only their key, or the order of their fields, differs. */
function hashOf({ idempotency_key: _, ...rest }: Fields): string {
  try {
    return createHash('sha256')
      .update(JSON.stringify(sorted(rest)))
      .digest('hex');
  } catch (error) {
    if (error instanceof RangeError) throw new FieldError('body', 'is nested too deeply');
    throw error;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}
