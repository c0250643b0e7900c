import {
  type Decision,
  type Entry,
  isResolution,
  type Reads,
  type Receipt,
  type Transaction,
} from '../journal/journal.ts';
import { receiptValue } from '../journal/rows.ts';
import { engineFailure } from './failures.ts';

/** The first database role that proposed it. A proposal from an imported file has no role. */
export function proposerOf(decisions: readonly Decision[]): string | undefined {
  return decisions.find(({ kind, role }) => kind === 'proposed' && role !== undefined)?.role;
}

/** The role that proposed it, if another role must approve it. */
export async function roleThatMayNot(
  id: string,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<string | undefined> {
  const proposals = (await reads.decisionsOf(id)).filter(({ kind }) => kind === 'proposed');
  return proposals.some(({ needs }) => needs === 'another-role') ? proposerOf(proposals) : undefined;
}

export async function lastProposal(
  id: string,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<Decision | undefined> {
  return (await reads.decisionsOf(id)).findLast(({ kind }) => kind === 'proposed');
}

/** The latest decision that resolved or declined it. */
export async function lastDecision(
  id: string,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<Decision | undefined> {
  return (await reads.decisionsOf(id)).findLast(({ kind }) => isResolution(kind) || kind === 'declined');
}

/** A signature belongs to one entry, whether a decision or a reply names it. */
function asReceipts({ baseUrl: origin }: Entry, { signature }: Decision): Receipt[] {
  return signature === undefined ? [] : [{ origin, what: 'signature', value: receiptValue(signature) }];
}

export async function refuseTaken(
  entry: Entry,
  decision: Decision,
  reads: Pick<Reads, 'otherHolder'>,
): Promise<void> {
  const other = await reads.otherHolder(entry.id, asReceipts(entry, decision));
  if (other !== undefined) throw engineFailure('signature-taken', { id: entry.id, other });
}

export async function keepDecision(entry: Entry, decision: Decision, tx: Transaction): Promise<void> {
  await tx.decide(entry.id, decision);
  await tx.keepReceipts(entry.id, asReceipts(entry, decision));
}
