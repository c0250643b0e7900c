import type { Bot } from '../bot/bot.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { dryRunView } from '../display/dryRunView.ts';
import { refuseUnnamed } from '../engine/claim.ts';
import { type Identity, identify } from '../engine/identity.ts';
import { makePlan, type Plan, planOfNewJournal } from '../engine/plan.ts';
import { meaningOf } from '../engine/planKinds.ts';
import type { Exit } from '../errors.ts';
import { canonicalBody } from '../intent/canonical.ts';
import { nameOf } from '../intent/naming.ts';
import type { Order } from '../intent/order.ts';
import { endpoint } from '../wire/endpoints.ts';
import { isJournalThere, openJournalOf } from './journalPath.ts';
import { botOfCommand } from './openBot.ts';
import { settingsOf } from './settingsOf.ts';

/** Shows what would be sent and whether it would be a re-run. Journals nothing and sends nothing. */
export async function dryRun(order: Order, given: Given, context: Context): Promise<Exit> {
  settingsOf(given);
  const bot = await botOfCommand(given, context);
  const { identity, plan } = await planOf(order, bot, given, context);
  const isNew = meaningOf(plan).sends === 'a-new-intent';
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
      rerunWords: meaningOf(plan).dryRun,
      foundId: plan.found?.id ?? plan.twin?.id,
      warnings: order.wanted.warnings,
    }),
  );
  return 0;
}

async function planOf(
  order: Order,
  bot: Bot,
  given: Given,
  context: Context,
): Promise<{ identity: Identity; plan: Plan }> {
  if (!(await isJournalThere(given, context))) {
    const identity = identify(order, bot, { hashOf: () => '' });
    return { identity, plan: planOfNewJournal };
  }
  const journal = await openJournalOf(given, context, 'look');
  try {
    refuseUnnamed(order, journal);
    const identity = identify(order, bot, journal);
    return { identity, plan: await makePlan(identity, bot, journal.reads, context.clock.now()) };
  } finally {
    await journal.close();
  }
}
