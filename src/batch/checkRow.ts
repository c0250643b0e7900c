import { type AllowedRecipients, addressComplaint } from '../once/entry/address.ts';
import { checkMessage } from '../once/entry/message.ts';
import { invisibleIn, type Naming } from '../once/entry/naming.ts';
import { complain } from '../once/entry/rules.ts';
import { checkTransfer } from '../once/entry/transfer.ts';
import type { OwnAddresses } from '../once/entry/unusual.ts';
import type { Kind, Wanted } from '../once/entry/wanted.ts';
import { isObject } from '../once/wire/flight.ts';
import { type Policies, withAddress } from '../policy/policy.ts';
import type { RawRow } from './columns.ts';
import { complainOfRow, type OwnRules, type RowComplaint, type RowComplaints } from './failures.ts';

/** Checks whether addresses may be paid. This is the most expensive check, so each address is checked once. */
export class Recipients {
  readonly #allowed: AllowedRecipients;
  readonly #own: OwnAddresses | undefined;
  readonly #checked = new Map<string, RowComplaint | undefined>();

  constructor(allowed: AllowedRecipients, own: OwnAddresses | undefined) {
    this.#allowed = allowed;
    this.#own = own;
  }

  complaint(address: string): RowComplaint | undefined {
    if (!this.#checked.has(address))
      this.#checked.set(address, addressComplaint(address, this.#allowed, this.#own));
    return this.#checked.get(address);
  }
}

/** The rules for checking rows. */
export type Checking = {
  readonly kind: Kind;
  readonly recipients: Recipients;
  readonly policies?: Policies | undefined;
};

/**
 * The request of a row, or everything that is wrong with it. The recipient of a valid row is checked later, because
 * rows that are done need no check.
 */
export function checkRow(
  { fields, complaints: asRead }: RawRow,
  { kind, recipients, policies = [] }: Checking,
  isIdTwice = false,
): { readonly wanted: Wanted } | RowComplaints {
  if (asRead.some(({ field }) => field === undefined)) return { complaints: asRead };
  const { id, idempotency_key: key, ...rest } = fields;
  const { fields: payload, complaint } = withComponents(rest);
  const checked = kind === 'message' ? checkMessage(payload) : checkPayment(payload, policies);
  const complaints = [
    ...asRead,
    isIdTwice ? complainOfRow('id', 'own-id', { id: String(id) }) : idComplaint(id, kind),
    keyComplaint(key),
    complaint,
    ...('complaints' in checked ? checked.complaints : []),
  ].filter((one) => one !== undefined);
  if (complaints.length === 0 && 'wanted' in checked) return { wanted: checked.wanted };
  const to = kind === 'transfer' ? payload.to_address : undefined;
  const recipient = typeof to === 'string' && !to.startsWith('@') ? recipients.complaint(to) : undefined;
  // Report one fault per field: others only follow from it.
  const byField = new Map<string | undefined, RowComplaint>();
  for (const one of [...complaints, ...(recipient === undefined ? [] : [recipient])])
    if (!byField.has(one.field)) byField.set(one.field, one);
  return { complaints: [...byField.values()] };
}

/** Checks a payment, after replacing a recipient's name by its address. */
function checkPayment(
  payload: Readonly<Record<string, unknown>>,
  policies: Policies,
): ReturnType<typeof checkTransfer> {
  const { fields, complaint } = withAddress(payload, policies);
  return complaint === undefined ? checkTransfer(fields, 'any') : { complaints: [complaint] };
}

const maxIdBytes = 512;

function idComplaint(id: unknown, kind: Kind): RowComplaint | undefined {
  if (id === undefined) return kind === 'message' ? undefined : complain('id', 'given', 'missing');
  const is = badId(id);
  return is && complainOfRow('id', 'id', { mostBytes: maxIdBytes, is });
}

/** Invisible characters must not be the only difference between two payments. */
function badId(id: unknown): OwnRules['id']['is'] | undefined {
  if (typeof id !== 'string') return 'not-text';
  if (id === '') return 'empty';
  return Buffer.byteLength(id) > maxIdBytes ? 'too-long' : invisibleIn(id);
}

export function isGoodId(id: unknown): id is string {
  return badId(id) === undefined;
}

function keyComplaint(key: unknown): RowComplaint | undefined {
  if (key === undefined || key === '') return undefined;
  return complainOfRow('idempotency_key', 'no-key', 'given');
}

function withComponents({ buttons, ...fields }: Readonly<Record<string, unknown>>): {
  fields: Readonly<Record<string, unknown>>;
  complaint?: RowComplaint;
} {
  if (buttons === undefined || buttons === null) return { fields };
  if (fields.components !== undefined) {
    return { fields, complaint: complainOfRow('buttons', 'no-buttons', 'given') };
  }
  const components = componentsFrom(buttons);
  return 'rule' in components ? { fields, complaint: components } : { fields: { ...fields, components } };
}

type Fields = Readonly<Record<string, unknown>>;

function buttonOf({ id, ...rest }: Fields): Fields {
  return { type: 'button', ...(id === undefined ? {} : { custom_id: id }), ...rest };
}

/** Turns the short `buttons` of a row into the `components` of a payload: one row of buttons, or several. */
function componentsFrom(buttons: unknown): RowComplaint | readonly Fields[] {
  if (!Array.isArray(buttons) || buttons.length === 0) return complainOfRow('buttons', 'buttons', 'other');
  const rows: readonly unknown[] = buttons.every(Array.isArray) ? buttons : [buttons];
  const components: Fields[] = [];
  for (const row of rows) {
    if (!Array.isArray(row) || !row.every(isObject)) return complainOfRow('buttons', 'buttons', 'other');
    components.push({ type: 'action_row', components: row.map(buttonOf) });
  }
  return components;
}

type RowNaming = Naming & { readonly by: 'row' };

/** A row with an `id` is identified by it, so the order of rows does not matter. */
export function namedById(name: string, id: string): RowNaming {
  return { by: 'row', name, row: `id:${id}`, id };
}

/** A row without an `id` is identified by its body and its number among equal rows, so reordering changes nothing. */
export function namedByBody(name: string, canonical: string, ordinal: number): RowNaming {
  return { by: 'row', name, row: `body:${ordinal}:${canonical}` };
}
