import { type Complaint, type Complaints, complain } from '../intent/complaint.ts';
import { checkMessage } from '../intent/message.ts';
import { checkTransfer } from '../intent/transfer.ts';
import type { Kind, Wanted } from '../intent/wanted.ts';
import type { ReadRow } from './rawRow.ts';
import { componentsFrom } from './rowButtons.ts';

export type CheckedRow = { readonly wanted: Wanted; readonly id: string | undefined };

/** What a row wants, or everything that is wrong with it. Whether a wallet key controls the address is asked later. */
export function checkRow({ fields }: ReadRow, kind: Kind): CheckedRow | Complaints {
  const { id, idempotency_key: key, ...rest } = fields;
  const complaints: Complaint[] = [idComplaint(id, kind), keyComplaint(key)].filter(
    (one) => one !== undefined,
  );
  const { fields: payload, complaint } = withComponents(rest);
  if (complaint !== undefined) complaints.push(complaint);
  const checked = kind === 'message' ? checkMessage(payload) : checkTransfer(payload, true);
  if ('complaints' in checked) complaints.push(...checked.complaints);
  if ('complaints' in checked || complaints.length > 0) return { complaints };
  return { wanted: checked.wanted, id: typeof id === 'string' ? id : undefined };
}

const maxIdBytes = 512;
const idRule = `text of at most ${maxIdBytes} bytes that is this row’s alone`;

function idComplaint(id: unknown, kind: Kind): Complaint | undefined {
  if (id === undefined && kind === 'message') return undefined;
  return idProblem(id) === undefined ? undefined : complain('id', idRule, String(idProblem(id)));
}

/** What cannot be seen must not tell two payments apart. */
function idProblem(id: unknown): string | undefined {
  if (id === undefined) return 'is missing';
  if (typeof id !== 'string') return 'is not a string';
  if (id === '') return 'is empty';
  if (id !== id.trim()) return 'has blanks around it';
  if (/\p{C}/u.test(id)) return 'has characters that do not show';
  return Buffer.byteLength(id) > maxIdBytes ? 'is too long' : undefined;
}

export function isGoodId(id: unknown): id is string {
  return idProblem(id) === undefined;
}

function keyComplaint(key: unknown): Complaint | undefined {
  if (key === undefined || key === '') return undefined;
  return complain('idempotency_key', 'absent: a row’s key comes from --once and its id', 'is given');
}

function withComponents({ buttons, ...fields }: Readonly<Record<string, unknown>>): {
  fields: Readonly<Record<string, unknown>>;
  complaint?: Complaint;
} {
  if (buttons === undefined || buttons === null) return { fields };
  if (fields.components !== undefined) {
    return { fields, complaint: complain('buttons', 'absent where components is given', 'is given too') };
  }
  const components = componentsFrom(buttons);
  return 'problem' in components ? { fields, complaint: components } : { fields: { ...fields, components } };
}
