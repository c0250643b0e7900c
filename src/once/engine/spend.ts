import type { Bot } from '../connection.ts';
import { addUnits, hourMs, hourOf, type OwnSpending, type UnitsByHour, unitsOf } from '../intent/amount.ts';
import { unusualAddress } from '../intent/unusual.ts';
import type { TransferRequest } from '../intent/wanted.ts';
import type { Intent, Reads, SpendingReads, Transaction } from '../journal/journal.ts';
import {
  limitsADay,
  limitsRecipients,
  mayBeLookalike,
  needsApproval,
  oldestHour,
  type Policies,
  type Refusal,
  refusedAsLookalike,
  refusedByDay,
  refusedByItself,
  type Spend,
} from '../policy/policy.ts';
import { approvalOn, needsAnother, ownProposal } from './approval.ts';

/** What the policies say about a transfer that is about to be claimed. */
export type PolicyWord =
  | { readonly is: 'allowed' }
  | { readonly is: 'needs-approval' }
  | { readonly is: 'refused'; readonly refusal: Refusal };

const allowed: PolicyWord = { is: 'allowed' };

/** A transfer to be claimed, and what is known about it. */
type SpendOrder = {
  readonly spend: Spend;
  /** The intent, if it is on record: what already counts as spent by it is not counted twice. */
  readonly id: string | undefined;
  /** Whether a person has just approved sending it. If undefined, an earlier approval counts. */
  readonly isApproved?: boolean | undefined;
};

export function spendOf(
  { to_address: to, asset, amount }: TransferRequest,
  { own = {} }: Pick<Bot, 'own'>,
): Spend {
  return { to, asset, units: unitsOf(amount), unusual: unusualAddress(to, own) };
}

/** What an intent would spend, according to its frozen bytes. */
export function spendOfIntent({ body }: Pick<Intent, 'body'>, bot: Pick<Bot, 'own'>): Spend {
  return spendOf(JSON.parse(new TextDecoder().decode(body)) as TransferRequest, bot);
}

/**
 * Runs in the commit that claims the transfer, so that no two pass together. What it spends counts at once for the
 * other claims of that commit.
 */
export async function spendWithin(
  policies: Policies,
  order: SpendOrder,
  tx: Transaction,
  nowMs: number,
): Promise<PolicyWord> {
  await tx.startCounting(nowMs);
  const waits = needsApproval(policies, order.spend) && !(await isApproved(policies, order, tx));
  const word = await wordOfSpending(policies, order, tx, nowMs, !waits);
  return word.is === 'allowed' && waits ? { is: 'needs-approval' } : word;
}

/** What a dry run shows. Counts nothing. */
export async function wordOfPolicies(
  policies: Policies,
  order: SpendOrder,
  reads: Reads | undefined,
  nowMs: number,
): Promise<PolicyWord> {
  const word = await wordOfSpending(policies, order, reads ?? nothingSpent, nowMs);
  const waits = needsApproval(policies, order.spend);
  if (word.is !== 'allowed' || !waits) return word;
  return reads !== undefined && (await isApproved(policies, order, reads)) ? word : { is: 'needs-approval' };
}

const nothingSpent: SpendingReads = {
  spending: async () => ({ sinceMs: undefined, total: new Map(), toRecipient: new Map() }),
  spenders: async () => [],
  ownSpending: async () => undefined,
  paidLike: async () => [],
  policyNumber: async () => undefined,
};

/** With `counts`, an allowed amount is added to the sums of this commit. */
async function wordOfSpending(
  policies: Policies,
  { spend, id }: SpendOrder,
  reads: SpendingReads,
  nowMs: number,
  counts = false,
): Promise<PolicyWord> {
  const byItself = refusedByItself(policies, spend);
  if (byItself !== undefined) return { is: 'refused', refusal: byItself };
  const paid = mayBeLookalike(policies, spend) ? await reads.paidLike(spend.to) : [];
  const lookalike = refusedAsLookalike(policies, spend, paid, nowMs);
  if (lookalike !== undefined) return { is: 'refused', refusal: lookalike };
  if (!limitsADay(policies, spend.asset)) return allowed;
  const scope = {
    asset: spend.asset,
    recipient: limitsRecipients(policies, spend.asset) ? spend.to : undefined,
    sinceHour: oldestHour(nowMs),
  };
  const own = id === undefined ? undefined : await reads.ownSpending(id);
  const { sinceMs = nowMs, total, toRecipient } = await reads.spending(scope);
  // From here on an allowed transfer awaits nothing, so the next caller sees what this one takes.
  const counted = { sinceMs, total: without(own, total), toRecipient: without(own, toRecipient) };
  const refusal = refusedByDay(policies, spend, counted, nowMs);
  if (refusal !== undefined) return { is: 'refused', refusal: await withSpenders(refusal, reads, nowMs) };
  if (counts)
    for (const units of [total, toRecipient]) {
      if (own !== undefined) addUnits(units, own.hour, -own.units);
      addUnits(units, hourOf(nowMs), spend.units);
    }
  return allowed;
}

/** Adds the bots that used up the limit: they may belong to another service. */
export async function withSpenders(
  refusal: Refusal,
  reads: Pick<Reads, 'spenders'>,
  nowMs: number,
): Promise<Refusal> {
  if (refusal.rule !== 'day' && refusal.rule !== 'recipient-day') return refusal;
  return { ...refusal, spentBy: await reads.spenders(refusal.asset, oldestHour(nowMs) * hourMs) };
}

function without(own: OwnSpending | undefined, units: UnitsByHour): UnitsByHour {
  if (own === undefined) return units;
  const others = new Map(units);
  addUnits(others, own.hour, -own.units);
  return others;
}

/** An approval holds for one body, until a later decision. Some policies want somebody else's. */
async function isApproved(
  policies: Policies,
  { id, isApproved: isSaid }: SpendOrder,
  reads: Reads,
): Promise<boolean> {
  if (isSaid !== undefined) return isSaid;
  if (id === undefined) return false;
  const decisions = await reads.decisionsOf(id);
  const { fingerprint = '' } = (await reads.get(id)) ?? {};
  const approved = approvalOn(decisions, fingerprint);
  if (approved === undefined) return false;
  return !needsAnother(policies) || ownProposal(decisions, fingerprint, approved) === undefined;
}
