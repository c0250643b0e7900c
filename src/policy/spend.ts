import type { Bot } from '../once/connection.ts';
import type { EngineContext, Word } from '../once/engine/context.ts';
import {
  addUnits,
  countedAsset,
  hourOf,
  type OwnSpending,
  type UnitsByHour,
  unitsOf,
} from '../once/intent/amount.ts';
import { spellingsOf } from '../once/intent/spellings.ts';
import type { TransferRequest } from '../once/intent/wanted.ts';
import type { Decision, Intent, Reads, SpendingReads } from '../once/journal/journal.ts';
import { policyFailure, type Refusal } from './facts.ts';
import {
  limitsADay,
  needsApproval,
  oldestHour,
  type Policies,
  refusedByDay,
  refusedByItself,
  refusedOnFile,
  type Spend,
} from './policy.ts';

const allowed: Word = { is: 'allowed' };

function refusedFor(refusal: Refusal): Word {
  return { is: 'refused', failure: policyFailure(refusal.rule, refusal) };
}

/** A transfer to be claimed, and what is known about it. */
type SpendOrder = {
  readonly spend: Spend;
  /** The intent, if it is on record: what already counts as spent by it is not counted twice. */
  readonly intent: Pick<Intent, 'id' | 'approved'> | undefined;
  /** `--propose`. */
  readonly proposes: boolean;
  /** On a file no database role tells who approves. */
  readonly isShared: boolean;
};

type SpellingBot = Pick<Bot, 'spellings'>;

export function spendOf(
  { to_address: to, asset, amount }: TransferRequest,
  { spellings }: SpellingBot,
): Spend {
  return { to, asset, spellings: spellingsOf(asset, spellings), units: unitsOf(amount) };
}

/** What these policies say about each claim. A message spends nothing. */
export function mayClaimUnder(policies: Policies = []): EngineContext['mayClaim'] {
  return async ({ kind, body }, intent, tx, { bot, proposes = false, journal: { isShared }, clock }) => {
    if (kind === 'message') return allowed;
    const spend = spendOf(JSON.parse(new TextDecoder().decode(body)) as TransferRequest, bot);
    return spendWithin(policies, { spend, intent, proposes, isShared }, tx, clock.now());
  };
}

/**
 * Runs in the commit that claims the transfer. What it spends counts at once for the other claims of that commit, unless
 * this is a dry run.
 */
export async function spendWithin(
  policies: Policies,
  order: SpendOrder,
  reads: Reads | undefined,
  nowMs: number,
  counts = true,
): Promise<Word> {
  const waits = await mustWait(policies, order, reads);
  const word = await wordOfSpending(policies, order, reads ?? nothingSpent, nowMs, counts && !waits);
  return word.is === 'allowed' && waits ? wordOfWaiting(policies, order) : word;
}

export const nothingSpent: SpendingReads = {
  spending: async () => new Map(),
  ownSpending: async () => undefined,
};

/** With `counts`, an allowed amount is added to the sums of this commit. */
async function wordOfSpending(
  policies: Policies,
  { spend, intent }: SpendOrder,
  reads: SpendingReads,
  nowMs: number,
  counts: boolean,
): Promise<Word> {
  const byItself = refusedByItself(policies, spend);
  if (byItself !== undefined) return refusedFor(byItself);
  if (!limitsADay(policies, spend)) return allowed;
  const own = intent && (await reads.ownSpending(intent.id));
  const each = await spendingOfEach(spend, reads, nowMs);
  // From here on an allowed transfer awaits nothing, so the next caller sees what this one takes.
  const refusal = refusedByDay(policies, spend, without(own, together(each)), nowMs);
  if (refusal !== undefined) return refusedFor(refusal);
  const itself = each[spend.spellings.indexOf(countedAsset(spend.asset))];
  if (counts && itself !== undefined) {
    if (own !== undefined) addUnits(itself, own.hour, -own.units);
    addUnits(itself, hourOf(nowMs), spend.units);
  }
  return allowed;
}

type SpentOf = Pick<Spend, 'spellings'>;

function spendingOfEach({ spellings }: SpentOf, reads: Pick<Reads, 'spending'>, nowMs: number) {
  const sinceHour = oldestHour(nowMs);
  return Promise.all(spellings.map((asset) => reads.spending({ asset, sinceHour })));
}

/** What was spent of an asset in all its spellings together. */
export async function spendingOf(
  scope: SpentOf,
  reads: Pick<Reads, 'spending'>,
  nowMs: number,
): Promise<UnitsByHour> {
  return together(await spendingOfEach(scope, reads, nowMs));
}

function together(each: readonly UnitsByHour[]): UnitsByHour {
  const [first, second] = each;
  if (first !== undefined && second === undefined) return first;
  const all: UnitsByHour = new Map();
  for (const one of each) for (const [hour, more] of one) addUnits(all, hour, more);
  return all;
}

function without(own: OwnSpending | undefined, units: UnitsByHour): UnitsByHour {
  if (own === undefined) return units;
  const others = new Map(units);
  addUnits(others, own.hour, -own.units);
  return others;
}

/** Whether it waits for a person. An approval answers for every attempt, but some policies want another role's. */
async function mustWait(
  policies: Policies,
  { spend, intent, proposes }: SpendOrder,
  reads: Pick<Reads, 'decisionsOf'> | undefined,
): Promise<boolean> {
  if (intent?.approved !== true) return proposes || needsApproval(policies, spend);
  const needsAnother = policies.some(({ approvals }) => approvals === 'other');
  return needsAnother && !isApprovedByAnother((await reads?.decisionsOf(intent.id)) ?? []);
}

function wordOfWaiting(policies: Policies, { isShared }: Pick<SpendOrder, 'isShared'>): Word {
  const refusal = isShared ? undefined : refusedOnFile(policies);
  return refusal === undefined ? { is: 'needs-approval' } : refusedFor(refusal);
}

/** Whether another database role approved it than the one that proposed it. A person's name is only claimed. */
export function isApprovedByAnother(decisions: readonly Decision[]): boolean {
  const proposed = decisions.find(({ kind }) => kind === 'proposed')?.role;
  const approved = decisions.findLast(({ kind }) => kind === 'approved')?.role;
  return proposed !== undefined && approved !== undefined && proposed !== approved;
}
