import { type AllowedRecipients, addressComplaint } from '../once/intent/address.ts';
import type { Spending } from '../once/intent/amount.ts';
import { checkMessage } from '../once/intent/message.ts';
import { invisibleIn, type Naming, type Order } from '../once/intent/naming.ts';
import { complain } from '../once/intent/rules.ts';
import { checkTransfer } from '../once/intent/transfer.ts';
import type { OwnAddresses } from '../once/intent/unusual.ts';
import type { Kind, Wanted } from '../once/intent/wanted.ts';
import type { Intent, Reads } from '../once/journal/journal.ts';
import type { Refusal } from '../policy/facts.ts';
import {
  limitsADay,
  type Policies,
  refusedByDay,
  refusedByItself,
  type Spend,
  withAddress,
} from '../policy/policy.ts';
import { nothingSpent, spendingOf, withFreeing } from '../policy/spend.ts';
import type { RawRow } from './columns.ts';
import { complainOfRow, type OwnRules, type RowComplaint, type RowComplaints } from './facts.ts';
import type { SheetRow } from './sheet.ts';

/** Whether addresses may be paid. It is the most expensive check, so each address is checked once. */
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

/** What rows are checked by. */
export type Checking = {
  readonly kind: Kind;
  readonly recipients: Recipients;
  readonly policies?: Policies | undefined;
};

/**
 * The request of a row, or all that is wrong with it. Whether the recipient of a valid row may be paid is checked later:
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
  const found = [
    ...asRead,
    isIdTwice ? complainOfRow('id', 'own-id', { id: String(id) }) : idComplaint(id, kind),
    keyComplaint(key),
    complaint,
    ...('complaints' in checked ? checked.complaints : []),
  ].filter((one) => one !== undefined);
  if (found.length === 0 && 'wanted' in checked) return { wanted: checked.wanted };
  const to = kind === 'transfer' ? payload.to_address : undefined;
  const recipient = typeof to === 'string' && !to.startsWith('@') ? recipients.complaint(to) : undefined;
  // One fault of a field is enough: what follows from it is no other.
  const byField = new Map<string | undefined, RowComplaint>();
  for (const one of [...found, ...(recipient === undefined ? [] : [recipient])])
    if (!byField.has(one.field)) byField.set(one.field, one);
  return { complaints: [...byField.values()] };
}

/** Replaces a recipient's name by its address first. */
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

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

export type RowNaming = Naming & { readonly by: 'row' };

/** A row with an `id` is identified by it, wherever the row stands in the file. */
export function namedById(name: string, id: string): RowNaming {
  return { by: 'row', name, row: `id:${id}`, id };
}

/** A row without an `id` is identified by its body and its number among equal rows, so reordering changes nothing. */
export function namedByBody(name: string, canonical: string, ordinal: number): RowNaming {
  return { by: 'row', name, row: `body:${ordinal}:${canonical}` };
}

type Inputs = {
  readonly policies: Policies;
  /** Absent if there is no journal yet. */
  readonly reads: Reads | undefined;
  readonly nowMs: number;
};

/** What the journal knows where a daily limit applies. */
type Known = { readonly spending: Spending | undefined };

/** Checks all rows of a batch against the policies, each as if the rows before it had been sent. */
export class PolicySurvey {
  readonly #inputs: Inputs;
  readonly #spending = new Map<string, Promise<Spending | undefined>>();

  constructor(inputs: Inputs) {
    this.#inputs = inputs;
  }

  async ask(spend: Spend): Promise<Known> {
    return { spending: await this.#spendingOf(spend) };
  }

  #spendingOf(spend: Spend): Promise<Spending | undefined> {
    const { policies, reads = nothingSpent, nowMs } = this.#inputs;
    if (!limitsADay(policies, spend)) return Promise.resolve(undefined);
    const [asset = ''] = spend.spellings;
    const asked = this.#spending.get(asset) ?? spendingOf(spend, reads, nowMs).then((units) => ({ units }));
    this.#spending.set(asset, asked);
    return asked;
  }

  /** The policy's refusal, if there is one. A row that is not refused counts towards the rows after it. */
  judge(spend: Spend, { spending }: Known, found: Intent | undefined): Refusal | undefined {
    const { policies } = this.#inputs;
    const refusal = refusedByItself(policies, spend);
    if (refusal !== undefined || spending === undefined || countsAlready(found)) return refusal;
    const overDay = refusedByDay(policies, spend, spending.units);
    if (overDay === undefined) spending.units += spend.units;
    return overDay;
  }

  /** Adds when the limit of a day leaves enough. */
  whenFree(refusal: Refusal, spend: Pick<Spend, 'spellings'>): Promise<Refusal> {
    const { reads = nothingSpent, nowMs } = this.#inputs;
    return withFreeing(refusal, spend, reads, nowMs);
  }
}

function countsAlready(found: Intent | undefined): boolean {
  return found?.state === 'unknown' || found?.state === 'sending';
}

/** What applies to all rows of a batch. */
export type BatchOrder = {
  readonly kind: Kind;
  /** `--once`: the batch's name. */
  readonly name: string;
  readonly recipients: AllowedRecipients;
  /** The policies that its transfers must obey; absent if there are none. */
  readonly policies?: Policies | undefined;
  /** `--repeat`: rows are paid although they were paid under another name. */
  readonly paysRepeats?: boolean;
  /** `--propose`: every row waits for a person's approval. */
  readonly proposes?: boolean;
};

export function requestOfRow({ request }: Pick<SheetRow, 'request'>): Wanted['request'] | undefined {
  return request === undefined ? undefined : (JSON.parse(request) as Wanted['request']);
}

export function orderOf(row: SheetRow, { kind, name }: BatchOrder): Order {
  const { row: named = '', id } = row;
  const naming: RowNaming = { by: 'row', name, row: named, ...(id === undefined ? {} : { id }) };
  const wanted = { kind, request: requestOfRow(row), warnings: [] } as Order['wanted'];
  return { wanted, naming, columns: row.columns };
}
