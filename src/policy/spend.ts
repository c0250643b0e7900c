import type { Bot } from '../once/connection.ts';
import { nothingRecorded } from '../once/engine/answers.ts';
import { allowed, type EngineContext, type PolicyAnswer } from '../once/engine/context.ts';
import { proposerOf } from '../once/engine/decisions.ts';
import { countedAsset, type Spending, unitsOf } from '../once/entry/amount.ts';
import { assetNamesOf } from '../once/entry/assetNames.ts';
import type { TransferRequest } from '../once/entry/wanted.ts';
import type { Decision, Entry, Reads, SpendingReads } from '../once/journal/journal.ts';
import { policyFailure, type Refusal, whyApproval } from './failures.ts';
import {
  dayMs,
  freeAtMs,
  limitsADay,
  type NamedAsset,
  needsApproval,
  type Policies,
  refusedByDay,
  refusedByItself,
  refusedOnFile,
  type Spend,
} from './policy.ts';

function refusedFor(refusal: Refusal): PolicyAnswer {
  return { is: 'refused', failure: policyFailure(refusal.rule, refusal) };
}

/** A transfer to be claimed, with the facts that the policies need. */
type SpendOrder = {
  readonly spend: Spend;
  /** The entry, if it is stored. If it already counts as spent, it is not counted twice. */
  readonly entry: Pick<Entry, 'id' | 'approved' | 'countsAtMs'> | undefined;
  /** `--propose`. */
  readonly proposes: boolean;
  /** Whether the journal is shared. In a file, no database role tells who approves. */
  readonly isShared: boolean;
};

type NamingBot = Pick<Bot, 'assetNames'>;

export function spendOf(
  { to_address: to, asset, amount }: TransferRequest,
  { assetNames }: NamingBot,
): Spend {
  return { to, asset, assetNames: assetNamesOf(asset, assetNames), units: unitsOf(amount) };
}

/** Asks these policies about each claim. A message spends nothing. */
export function mayClaimUnder(policies: Policies = []): EngineContext['mayClaim'] {
  return async ({ kind, body }, entry, tx, { bot, proposes = false, journal: { isShared }, clock }) => {
    if (kind === 'message') return allowed;
    const spend = spendOf(JSON.parse(new TextDecoder().decode(body)) as TransferRequest, bot);
    return spendWithin(policies, { spend, entry, proposes, isShared }, tx, clock.now());
  };
}

/** Runs in the commit of a claim, or for a plan. A transfer that is not sent takes nothing from other claims. */
export async function spendWithin(
  policies: Policies,
  order: SpendOrder,
  reads: SumReads | undefined,
  nowMs: number,
): Promise<PolicyAnswer> {
  const why = await whyItWaits(policies, order, reads);
  const answer = await answerOfSpending(policies, order, reads ?? nothingRecorded, nowMs);
  return answer.is === 'allowed' && why !== undefined ? answerOfWaiting(policies, order, why) : answer;
}

type SumReads = SpendingReads & Pick<Reads, 'decisionsOf'>;

/** Sums for several transfers outside a commit. A transfer that would be sent counts for those after it. */
export function sumsForAll(reads: SumReads = nothingRecorded): SumReads {
  const sums = new Map<string, Promise<Spending>>();
  return {
    spent: (asset, sinceMs) => reads.spent(asset, sinceMs),
    decisionsOf: (id) => reads.decisionsOf(id),
    spending: (asset, sinceMs) => {
      const sum = sums.get(asset) ?? reads.spending(asset, sinceMs);
      sums.set(asset, sum);
      return sum;
    },
  };
}

/** `reserve` adds the amount to the sums that `reads` returned. */
async function answerOfSpending(
  policies: Policies,
  { spend, entry }: SpendOrder,
  reads: SpendingReads,
  nowMs: number,
): Promise<PolicyAnswer> {
  const byItself = refusedByItself(policies, spend);
  if (byItself !== undefined) return refusedFor(byItself);
  if (!limitsADay(policies, spend)) return allowed;
  const sinceMs = nowMs - dayMs;
  const each = await spendingOfEach(spend, reads, sinceMs);
  const own = (entry?.countsAtMs ?? sinceMs) > sinceMs ? spend.units : 0n;
  const refusal = refusedByDay(policies, spend, together(each) - own);
  if (refusal !== undefined) return refusedFor(await withFreeing(refusal, spend, reads, nowMs, entry?.id));
  const itself = each[spend.assetNames.indexOf(countedAsset(spend.asset))];
  const reserve = (): void => {
    if (itself !== undefined) itself.units += spend.units - own;
  };
  return { is: 'allowed', reserve };
}

function spendingOfEach({ assetNames }: NamedAsset, reads: Pick<Reads, 'spending'>, sinceMs: number) {
  return Promise.all(assetNames.map((asset) => reads.spending(asset, sinceMs)));
}

const together = (each: readonly Spending[]): bigint => each.reduce((sum, { units }) => sum + units, 0n);

/** What was spent of an asset in the last 24 hours, under all its names together. */
export async function spentInADay(
  scope: NamedAsset,
  reads: Pick<Reads, 'spending'>,
  nowMs: number,
): Promise<bigint> {
  return together(await spendingOfEach(scope, reads, nowMs - dayMs));
}

/** Adds the time when the daily limit will leave enough. Only for a refusal, because it reads each payment. */
async function withFreeing(
  refusal: Refusal,
  { assetNames }: NamedAsset,
  reads: Pick<Reads, 'spent'>,
  nowMs: number,
  besides?: string,
): Promise<Refusal> {
  if (refusal.rule !== 'day') return refusal;
  const each = await Promise.all(assetNames.map((asset) => reads.spent(asset, nowMs - dayMs)));
  const others = each.flat().filter(({ id }) => id !== besides);
  return { ...refusal, freeAtMs: freeAtMs(others, refusal, nowMs) };
}

/** An approval applies to every attempt, but some policies require one by another database role. */
async function whyItWaits(
  policies: Policies,
  { spend, entry, proposes }: SpendOrder,
  reads: Pick<Reads, 'decisionsOf'> | undefined,
): Promise<string | undefined> {
  if (entry?.approved !== true)
    return needsApproval(policies, spend) ?? (proposes ? whyApproval.asked : undefined);
  const strict = wantsAnother(policies);
  if (strict === undefined || isApprovedByAnother((await reads?.decisionsOf(entry.id)) ?? []))
    return undefined;
  return whyApproval.otherRole(strict);
}

const wantsAnother = (policies: Policies) => policies.find(({ approvals }) => approvals === 'other');

function answerOfWaiting(
  policies: Policies,
  { isShared }: Pick<SpendOrder, 'isShared'>,
  why: string,
): PolicyAnswer {
  const refusal = isShared ? undefined : refusedOnFile(policies);
  if (refusal !== undefined) return refusedFor(refusal);
  const needs = wantsAnother(policies) && 'another-role';
  return { is: 'needs-approval', why, ...(needs && { needs }) };
}

/** Whether a database role other than the proposing one approved it. A person's name proves nothing. */
export function isApprovedByAnother(decisions: readonly Decision[]): boolean {
  const proposed = proposerOf(decisions);
  const isByAnother = ({ kind, role }: Decision): boolean =>
    kind === 'approved' && role !== undefined && role !== proposed;
  const since = decisions.findLastIndex(({ kind }) => kind === 'proposed' || kind === 'declined');
  return proposed !== undefined && decisions.slice(since).some(isByAnother);
}
