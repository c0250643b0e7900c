import { complain } from '../intent/complaint.ts';
import { invisibleIn } from '../intent/invisible.ts';
import { checkMessage } from '../intent/message.ts';
import { checkTransfer } from '../intent/transfer.ts';
import type { Kind, Wanted } from '../intent/wanted.ts';
import type { Policies } from '../policy/policy.ts';
import { withAddress } from '../policy/recipients.ts';
import type { ReadRow } from './rawRow.ts';
import { componentsFrom } from './rowButtons.ts';
import { complainOfRow, type OwnRules, type RowComplaint, type RowComplaints } from './rowRules.ts';

type CheckedRow = { readonly wanted: Wanted; readonly id: string | undefined };

/** What a row wants, or everything that is wrong with it. Whether a wallet key controls the address is asked later. */
export function checkRow(
  { fields }: ReadRow,
  kind: Kind,
  policies: Policies = [],
): CheckedRow | RowComplaints {
  const { id, idempotency_key: key, ...rest } = fields;
  const complaints: RowComplaint[] = [idComplaint(id, kind), keyComplaint(key)].filter(
    (one) => one !== undefined,
  );
  const { fields: payload, complaint } = withComponents(rest);
  if (complaint !== undefined) complaints.push(complaint);
  const checked = kind === 'message' ? checkMessage(payload) : checkPayment(payload, policies);
  if ('complaints' in checked) complaints.push(...checked.complaints);
  if ('complaints' in checked || complaints.length > 0) return { complaints };
  return { wanted: checked.wanted, id: typeof id === 'string' ? id : undefined };
}

/** A recipient's name becomes its address first. */
function checkPayment(
  payload: Readonly<Record<string, unknown>>,
  policies: Policies,
): ReturnType<typeof checkTransfer> {
  const { fields, complaint } = withAddress(payload, policies);
  return complaint === undefined ? checkTransfer(fields, true) : { complaints: [complaint] };
}

const maxIdBytes = 512;

function idComplaint(id: unknown, kind: Kind): RowComplaint | undefined {
  if (id === undefined) return kind === 'message' ? undefined : complain('id', 'given', 'missing');
  const is = badId(id);
  return is && complainOfRow('id', 'id', { mostBytes: maxIdBytes, is });
}

/** What cannot be seen must not tell two payments apart. */
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
