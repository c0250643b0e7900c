import type { Bot } from '../bot/bot.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { dryRunView } from '../display/dryRunView.ts';
import { refuseUnnamed } from '../engine/claim.ts';
import { type Identity, identify } from '../engine/identity.ts';
import { makePlan, type Plan, planOfNewJournal } from '../engine/plan.ts';
import { meaningOf } from '../engine/planKinds.ts';
import { type PolicyWord, spendOf, wordOfPolicies } from '../engine/spend.ts';
import type { Exit } from '../errors.ts';
import { canonicalBody } from '../intent/canonical.ts';
import { nameOf } from '../intent/naming.ts';
import type { Order } from '../intent/order.ts';
import type { Journal } from '../journal/journal.ts';
import { endpoint } from '../wire/endpoints.ts';
import { proposalWords, rerunWords } from '../words/dryRun.ts';
import { dryPolicyWords } from '../words/policy.ts';
import { isJournalThere, openJournalOf } from './journalPath.ts';
import { botOfCommand } from './openBot.ts';
import { heldInDryRun } from './policies.ts';
import { settingsOf } from './settingsOf.ts';

/** Shows what would be sent and whether it would be a re-run. Journals nothing and sends nothing. */
export async function dryRun(
  order: Order,
  warnings: readonly string[],
  given: Given,
  context: Context,
): Promise<Exit> {
  settingsOf(given);
  const bot = await botOfCommand(given, context);
  const { identity, plan, word } = await planOf(order, bot, given, context);
  const meaning = meaningOf(plan);
  const isNew = meaning.sends === 'a-new-intent';
  const key = isNew ? identity.key : (plan.found?.key ?? identity.key);
  await context.display.show(
    dryRunView({
      command: given.command,
      kind: order.wanted.kind,
      bot: bot.name,
      baseUrl: bot.spelledUrl,
      url: endpoint(bot.spelledUrl, order.wanted.kind),
      name: nameOf(order.naming),
      key,
      body: canonicalBody({
        ...order.wanted.request,
        ...(key === undefined ? {} : { idempotency_key: key }),
      }),
      request: { ...order.wanted.request },
      rerun: plan.is,
      rerunWords: rerunWords(plan),
      proposal:
        order.wanted.kind === 'transfer' && given.flag('propose')
          ? proposalWords(plan, meaning, word)
          : undefined,
      foundId: plan.found?.id ?? plan.twin?.id,
      policy: word && { word: word.is, says: dryPolicyWords(word) },
      warnings,
    }),
  );
  return 0;
}

type DryPlan = { readonly identity: Identity; readonly plan: Plan; readonly word: PolicyWord | undefined };

/** What the policies would say, where there are any and something would be spent. */
async function wordOn(
  { wanted }: Order,
  bot: Bot,
  plan: Plan | undefined,
  journal: Journal | undefined,
  context: Context,
): Promise<PolicyWord | undefined> {
  const { policies } = await heldInDryRun(bot, journal, context);
  if (policies === undefined || wanted.kind === 'message') return undefined;
  if (plan !== undefined && meaningOf(plan).sends === 'nothing') return undefined;
  const id = plan === undefined || meaningOf(plan).sends === 'a-new-intent' ? undefined : plan.found?.id;
  const nowMs = (journal?.clock ?? context.clock).now();
  return wordOfPolicies(policies, { spend: spendOf(wanted.request), id }, journal?.reads, nowMs);
}

async function planOf(order: Order, bot: Bot, given: Given, context: Context): Promise<DryPlan> {
  if (!(await isJournalThere(given, context))) {
    const identity = identify(order, bot, { hashOf: () => '' });
    return {
      identity,
      plan: planOfNewJournal,
      word: await wordOn(order, bot, undefined, undefined, context),
    };
  }
  const journal = await openJournalOf(given, context, 'look');
  try {
    refuseUnnamed(order, journal);
    const identity = identify(order, bot, journal);
    const plan = await makePlan(identity, bot, journal.reads, context.clock.now());
    return { identity, plan, word: await wordOn(order, bot, plan, journal, context) };
  } finally {
    await journal.close();
  }
}
