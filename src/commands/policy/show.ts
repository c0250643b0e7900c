import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { policyView, type ShownLeft } from '../../display/policyView.ts';
import type { Exit } from '../../errors.ts';
import { amountOf } from '../../intent/units.ts';
import type { Journal } from '../../journal/journal.ts';
import { limitsOf, type Policies } from '../../policy/policy.ts';
import { refusedAsFresh } from '../../policy/rules.ts';
import { oldestHour, spentWithin, windowMs } from '../../policy/window.ts';
import { isJournalThere, openJournalOf } from '../journalPath.ts';
import { refuseBesideSandbox } from '../openBot.ts';
import { policiesOfCommand } from '../policies.ts';
import { shownPolicy } from './shownPolicy.ts';

/** What holds the bot of this command, and what is left of it. */
export async function run(given: Given, context: Context): Promise<Exit> {
  if (given.flag('sandbox')) refuseBesideSandbox(given);
  const policies = await policiesOfCommand(given, context);
  const { command } = given;
  if (!(await isJournalThere(given, context))) {
    await context.display.show(policyView({ command, policies: policies.map(shownPolicy) }));
    return 0;
  }
  const journal = await openJournalOf(given, context, 'look');
  try {
    const { left, counted } = await leftOf(policies, journal);
    await context.display.show(policyView({ command, policies: policies.map(shownPolicy), left, counted }));
    return 0;
  } finally {
    await journal.close();
  }
}

type Left = {
  readonly left: readonly ShownLeft[];
  readonly counted: { readonly sinceMs: number; readonly isWhole: boolean } | undefined;
};

async function leftOf(policies: Policies, { reads, clock }: Journal): Promise<Left> {
  const nowMs = clock.now();
  let sinceMs: number | undefined;
  const left: ShownLeft[] = [];
  for (const asset of new Set(policies.flatMap(({ limits }) => [...limits.keys()]))) {
    const [tightest] = limitsOf(policies, asset)
      .flatMap(({ day, source }) => (day === undefined ? [] : [{ day, source }]))
      .sort((one, other) => (one.day < other.day ? -1 : 1));
    if (tightest === undefined) continue;
    const scope = { asset, recipient: undefined, sinceHour: oldestHour(nowMs) };
    const spending = await reads.spending(scope);
    sinceMs = spending.sinceMs;
    const spent = spentWithin(spending.total, nowMs);
    const fresh = sinceMs === undefined ? undefined : refusedAsFresh(policies, asset, sinceMs, nowMs);
    const remaining = fresh === undefined && spent < tightest.day ? tightest.day - spent : 0n;
    left.push({
      asset,
      limit: amountOf(tightest.day),
      spent: amountOf(spent),
      remaining: amountOf(remaining),
      source: tightest.source,
      freeAtMs: fresh?.freeAtMs,
    });
  }
  const counted = sinceMs === undefined ? undefined : { sinceMs, isWhole: sinceMs <= nowMs - windowMs };
  return { left, counted };
}
