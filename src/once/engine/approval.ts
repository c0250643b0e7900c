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

/** The first role that proposed it. An imported file has none. */
export function proposerOf(decisions: readonly Decision[]): string | undefined {
  return decisions.find(({ kind, role }) => kind === 'proposed' && role !== undefined)?.role;
}

/** The role that asked for the approval of another role, if that was asked for. */
export async function roleThatMayNot(
  id: string,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<string | undefined> {
  const proposals = (await reads.decisionsOf(id)).filter(({ kind }) => kind === 'proposed');
  return proposals.some(({ needs }) => needs === 'another-role') ? proposerOf(proposals) : undefined;
}

/** The decision that asked for its approval; of several, the last. */
export async function lastProposal(
  id: string,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<Decision | undefined> {
  return (await reads.decisionsOf(id)).findLast(({ kind }) => kind === 'proposed');
}

/** The decision that ended it. */
export async function lastDecision(
  id: string,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<Decision | undefined> {
  return (await reads.decisionsOf(id)).findLast(({ kind }) => isResolution(kind) || kind === 'declined');
}

/** A signature that a decision names belongs to one entry, as one that a reply gives. */
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
