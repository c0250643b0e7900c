import { type Complaint, type Complaints, complain, said } from '../intent/complaint.ts';
import { invisibleIn } from '../intent/invisible.ts';
import { checkMessage } from '../intent/message.ts';
import { checkTransfer } from '../intent/transfer.ts';
import type { Kind, Wanted } from '../intent/wanted.ts';
import type { Policies } from '../policy/policy.ts';
import { withAddress } from '../policy/recipients.ts';
import { unseenWords } from '../words/naming.ts';
import { idProblems, idRule, isGiven, isGivenToo, noButtonsRule, noKeyRule } from '../words/row.ts';
import type { ReadRow } from './rawRow.ts';
import { componentsFrom } from './rowButtons.ts';

type CheckedRow = { readonly wanted: Wanted; readonly id: string | undefined };

/** What a row wants, or everything that is wrong with it. Whether a wallet key controls the address is asked later. */
export function checkRow({ fields }: ReadRow, kind: Kind, policies: Policies = []): CheckedRow | Complaints {
  const { id, idempotency_key: key, ...rest } = fields;
  const complaints: Complaint[] = [idComplaint(id, kind), keyComplaint(key)].filter(
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

function idComplaint(id: unknown, kind: Kind): Complaint | undefined {
  if (id === undefined && kind === 'message') return undefined;
  if (id === undefined) return complain('id', 'given', 'missing');
  const problem = idProblem(id);
  return problem === undefined ? undefined : said('id', idRule(maxIdBytes), problem);
}

/** What cannot be seen must not tell two payments apart. */
function idProblem(id: unknown): string | undefined {
  if (id === undefined) return idProblems.missing;
  if (typeof id !== 'string') return idProblems.notAString;
  if (id === '') return idProblems.empty;
  if (Buffer.byteLength(id) > maxIdBytes) return idProblems.tooLong;
  const unseen = invisibleIn(id);
  return unseen && unseenWords(unseen);
}

export function isGoodId(id: unknown): id is string {
  return idProblem(id) === undefined;
}

function keyComplaint(key: unknown): Complaint | undefined {
  if (key === undefined || key === '') return undefined;
  return said('idempotency_key', noKeyRule, isGiven);
}

function withComponents({ buttons, ...fields }: Readonly<Record<string, unknown>>): {
  fields: Readonly<Record<string, unknown>>;
  complaint?: Complaint;
} {
  if (buttons === undefined || buttons === null) return { fields };
  if (fields.components !== undefined) {
    return { fields, complaint: said('buttons', noButtonsRule, isGivenToo) };
  }
  const components = componentsFrom(buttons);
  return 'rule' in components ? { fields, complaint: components } : { fields: { ...fields, components } };
}
