import { hash } from 'node:crypto';
import { countedAsset } from './amount.ts';

export type Kind = 'message' | 'transfer';

export type MessageRequest = {
  readonly conversation_id: string;
  readonly content: string;
  readonly components?: readonly Component[];
  readonly reply_to_message_id?: string;
};

export type TransferRequest = {
  readonly to_address: string;
  readonly asset: string;
  readonly amount: string;
  readonly memo?: string;
};

/** A request that was checked and is in its one spelling. */
export type Wanted =
  | { readonly kind: 'message'; readonly request: MessageRequest }
  | { readonly kind: 'transfer'; readonly request: TransferRequest };

export function canonicalOf(wanted: Wanted): string {
  return canonicalBody(wanted.request);
}

/** Recipient, asset and amount. Two transfers that agree here may be one payment spelled in two ways. */
export function paymentOf(wanted: Wanted): string | undefined {
  if (wanted.kind === 'message') return undefined;
  const { to_address, asset, amount } = wanted.request;
  return JSON.stringify([to_address, countedAsset(asset), amount]);
}

export type Button = {
  readonly type: 'button';
  readonly label: string;
  readonly style?: string;
  readonly custom_id: string;
};

export type ActionRow = { readonly type: 'action_row'; readonly components: readonly Component[] };

/** Types that the service's document does not show are passed on unchanged. */
type OtherComponent = { readonly type: string };

export type Component = ActionRow | Button | OtherComponent;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [field: string]: Json };

export type Fields = { readonly [field: string]: Json };

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}

/** The one spelling of a body: keys sorted, empty fields left out. Never contains the idempotency key. */
export function canonicalBody(request: Fields): string {
  // Only the request's own fields: an empty field inside a component of an unknown type may mean something.
  const names = Object.keys(request).filter((name) => !isEmpty(request[name]));
  // Built as text: making a new object for each row of a batch takes three times as long.
  const fields = names.sort().map((name) => `${JSON.stringify(name)}:${spelled(request[name] ?? null)}`);
  return `{${fields.join(',')}}`;
}

function spelled(value: Json): string {
  return JSON.stringify(typeof value === 'string' ? value : sorted(value));
}

/** The exact bytes that are sent. The same request and key give the same bytes on every machine. */
export function bodyBytes(request: Fields, key: string): Uint8Array {
  return new TextEncoder().encode(canonicalBody({ ...request, idempotency_key: key }));
}

/** Whether a body is byte for byte what the request with this fingerprint and the key produced. */
export function isWhole(body: Uint8Array, key: string, wanted: string): boolean {
  try {
    const fields = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Fields;
    const { idempotency_key: _key, ...request } = fields;
    if (fingerprint(canonicalBody(request)) !== wanted) return false;
    return Buffer.from(bodyBytes(request, key)).equals(body);
  } catch {
    return false;
  }
}

export function fingerprint(canonical: string): string {
  return hash('sha256', canonical);
}

/** A digest, in hex. The length in bytes precedes each field, so that fields cannot run into each other. */
export function digestOf(domain: string, fields: readonly string[]): string {
  const text = fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join('');
  return hash('sha256', `${domain}${text}`);
}
