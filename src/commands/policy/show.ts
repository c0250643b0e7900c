import { type Bot, sandboxBot } from '../../bot/bot.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { policyView, type ShownLeft } from '../../display/policyView.ts';
import type { Exit } from '../../errors.ts';
import type { BaseUrl } from '../../intent/baseUrl.ts';
import { amountOf } from '../../intent/units.ts';
import type { Journal } from '../../journal/journal.ts';
import { limitsOf, type Policies } from '../../policy/policy.ts';
import { refusedAsFresh } from '../../policy/rules.ts';
import { oldestHour, spentWithin, windowMs } from '../../policy/window.ts';
import { isJournalThere, openJournalOf } from '../journalPath.ts';
import { botOfCommand } from '../openBot.ts';
import { policiesOf, storedPolicy } from '../policies.ts';
import { shownPolicy } from './shownPolicy.ts';

/** What holds the bot of this command, and what is left of it. */
export async function run(given: Given, context: Context): Promise<Exit> {
  const bot = await botOfCommand(given, context);
  const own = (await policiesOf(bot, context)) ?? [];
  const { command } = given;
  if (!(await isJournalThere(given, context))) {
    await context.display.show(policyView({ command, policies: own.map(shownPolicy) }));
    return 0;
  }
  const journal = await openJournalOf(given, context, 'look');
  try {
    const policies = await withStored(own, bot, journal);
    const { left, counted } = await leftOf(policies, bot.baseUrl, journal);
    await context.display.show(policyView({ command, policies: policies.map(shownPolicy), left, counted }));
    return 0;
  } finally {
    await journal.close();
  }
}

async function withStored(own: Policies, { name }: Bot, journal: Journal): Promise<Policies> {
  const stored = name === sandboxBot ? undefined : await journal.policy();
  return stored === undefined ? own : [...own, await storedPolicy(stored)];
}

type Left = {
  readonly left: readonly ShownLeft[];
  readonly counted: { readonly sinceMs: number; readonly isWhole: boolean } | undefined;
};

async function leftOf(policies: Policies, baseUrl: BaseUrl, { reads, clock }: Journal): Promise<Left> {
  const nowMs = clock.now();
  let sinceMs: number | undefined;
  const left: ShownLeft[] = [];
  for (const asset of new Set(policies.flatMap(({ limits }) => [...limits.keys()]))) {
    const [tightest] = limitsOf(policies, asset)
      .flatMap(({ day, source }) => (day === undefined ? [] : [{ day, source }]))
      .sort((one, other) => (one.day < other.day ? -1 : 1));
    if (tightest === undefined) continue;
    const scope = { baseUrl, asset, recipient: undefined, sinceHour: oldestHour(nowMs) };
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
