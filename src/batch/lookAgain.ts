import type { Bot } from '../bot/bot.ts';
import { identify } from '../engine/identity.ts';
import { makePlan, type Plan } from '../engine/plan.ts';
import { meaningOf } from '../engine/planKinds.ts';
import type { Journal } from '../journal/journal.ts';
import { orderOf } from './runRows.ts';
import type { RowOutcome, Sheet, SheetRow } from './sheet.ts';
import type { BatchOrder } from './survey.ts';

type LookInputs = {
  readonly order: BatchOrder;
  readonly sheet: Sheet;
  readonly bot: Bot;
  readonly journal: Journal;
};

export type SeenOutcome = RowOutcome | 'not-begun';

/** How the rows stand that this process has not ended: others may have, since the survey. Notes it in the sheet. */
export async function lookAgain(inputs: LookInputs): Promise<Map<SeenOutcome, number>> {
  const counts = new Map<SeenOutcome, number>();
  const { sheet } = inputs;
  for (const page of sheet.pages()) {
    const rows = page.filter(
      ({ standing, outcome }) => standing !== 'invalid' && standing !== 'done' && outcome === undefined,
    );
    // Asked for together, they are looked up together.
    const plans = await Promise.all(rows.map((row) => planOf(row, inputs)));
    for (const [index, { ordinal }] of rows.entries()) {
      const plan = plans[index];
      if (plan === undefined) continue;
      const outcome = outcomeOf(plan);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (outcome !== 'not-begun') sheet.recordEnd(ordinal, outcome, ownIntent(outcome, plan), undefined);
    }
  }
  return counts;
}

function planOf(row: SheetRow, { order, bot, journal }: LookInputs): Promise<Plan> {
  return makePlan(identify(orderOf(row, order), bot, journal), bot, journal.reads, journal.clock.now());
}

function outcomeOf(plan: Plan): SeenOutcome {
  const { found, twin } = plan;
  const standing = meaningOf(plan).row.is;
  if (standing === 'conflict') return 'not-sent';
  if (found === undefined) return twin === undefined ? 'not-begun' : 'not-sent';
  if (standing === 'elsewhere') return 'sending';
  // Its owner died; and what an operator said did not happen is to be done.
  if (found.state === 'sending') return 'unknown';
  return found.state === 'resolved' && standing !== 'done' ? 'open' : found.state;
}

function ownIntent(outcome: SeenOutcome, { found }: Plan): string | undefined {
  return outcome === 'not-sent' ? undefined : found?.id;
}
