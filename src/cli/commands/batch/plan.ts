import type { AlikeRows, RepeatedRows, Sheet } from '../../../batch/sheet.ts';
import type { Survey } from '../../../batch/survey.ts';
import { formatAmount } from '../../../once/intent/amount.ts';
import type { Kind } from '../../../once/intent/wanted.ts';
import { moreAlike, rowsPaidAlready, samePaymentWords } from '../../say/batch.ts';
import { clipped } from '../../say/intent.ts';
import { formatCount } from '../../say/phrases.ts';
import {
  batchInALine,
  emptySkipped,
  keptColumns,
  recipientsOf,
  rowsAhead,
  rowsMissing,
  type Total,
  totalOf,
} from '../../say/rows.ts';
import { onDryRun } from '../../say/told.ts';
import { type Fact, type Fields, labelled, remark } from '../../show/card.ts';
import type { LabelCanvas, View } from '../../show/display.ts';
import { drawMessage } from '../../show/report.ts';
import type { BalanceShown } from '../balance/run.ts';
import { alikeJson, type Batch, countsJson } from './options.ts';

const shownColumns = 20;

/** The findings of the survey, as shown. */
export function batchPlan(
  surveyed: Survey,
  { given, context, order, bot, journal, sheet, notes }: Batch,
): BatchPlan {
  const { distinct, repeated } = sheet.recipients();
  const totals = [...surveyed.tally.totals].map(([asset, { all, left }]) => ({
    asset,
    all: formatAmount(all),
    left: formatAmount(left),
  }));
  return {
    command: given.command,
    kind: order.kind,
    name: order.name,
    bot: bot.name,
    baseUrl: bot.spelledUrl,
    rows: surveyed.rows,
    standings: surveyed.tally.standings,
    lacking: surveyed.lacking,
    emptyRows: notes.emptyRows,
    totals: totals.filter(({ all }) => all !== '0'),
    recipients: distinct,
    recipientsRepeated: repeated,
    columns: surveyed.unsent,
    repeats: surveyed.repeats,
    alike: surveyed.alike,
    first: order.kind === 'message' ? firstOf(sheet) : undefined,
    nowMs: (journal ?? context).clock.now(),
  };
}

function firstOf(sheet: Sheet): Fields | undefined {
  for (const { standing, request } of sheet.rows())
    if ((standing === 'new' || standing === 'unfinished') && request !== undefined)
      return JSON.parse(request) as Fields;
  return undefined;
}

/** Asks what the wallet holds, if something is left to be paid and a node can be asked. */
export async function withBalance(plan: BatchPlan, { bot, given, context }: Batch): Promise<BatchPlan> {
  const payable = plan.totals.filter(({ left }) => left !== '0');
  if (payable.length === 0) return plan;
  const { balanceToPay } = await import('../balance/run.ts');
  const asked = payable.map(({ asset, left }) => ({ asset, amount: left }));
  return { ...plan, balance: await balanceToPay(asked, bot, given, context) };
}

export function lineOf({
  kind,
  totals,
  recipients,
  recipientsRepeated: repeated,
  ...plan
}: BatchPlan): string {
  return batchInALine(kind === 'message' ? plan : { ...plan, money: { totals, recipients, repeated } });
}

/** What a batch would do before it starts. */
export type BatchPlan = {
  readonly command: string;
  readonly kind: Kind;
  readonly name: string;
  readonly bot: string;
  readonly baseUrl: string;
  readonly rows: number;
  /** Number of rows in each state: new, unfinished, done, held, elsewhere, conflict, invalid. */
  readonly standings: Readonly<Record<string, number>>;
  readonly lacking: number;
  readonly emptyRows: number;
  readonly totals: readonly Total[];
  readonly recipients: number;
  readonly recipientsRepeated: number;
  /** The first message that it would send, as it will look. */
  readonly first: Fields | undefined;
  /** Only where somebody is shown it. */
  readonly balance?: BalanceShown | undefined;
  readonly columns: readonly string[];
  readonly repeats: RepeatedRows;
  readonly alike: AlikeRows;
  readonly nowMs: number;
};

function linesOf(plan: BatchPlan): Fact[] {
  return [
    ['Bot', plan.bot],
    ['Service', plan.baseUrl],
    ['Rows', formatCount(plan.rows)],
    ['Empty rows', plan.emptyRows === 0 ? undefined : emptySkipped(plan.emptyRows)],
    ...rowsAhead(plan.standings),
    ...amountLines(plan, 'Total', totalOf),
    ['Balance', plan.balance?.text],
    [
      'Recipients',
      plan.kind === 'transfer' ? recipientsOf(plan.recipients, plan.recipientsRepeated) : undefined,
    ],
    ['Kept', plan.columns.length === 0 ? undefined : keptColumns(plan.columns)],
    ['Missing', plan.lacking === 0 ? undefined : rowsMissing(plan.lacking)],
    ['Paid before', plan.repeats.rows === 0 ? undefined : rowsPaidAlready(plan.repeats, plan.nowMs)],
    ...[...plan.alike.first.map(samePaymentWords), ...moreAlike(plan.alike)].map(
      (words, index): Fact => [index === 0 ? 'The same' : '', words],
    ),
  ];
}

/** One line for each asset. */
export function amountLines({ totals }: BatchPlan, label: string, amount: (total: Total) => string): Fact[] {
  return totals.map((total, index) => [index === 0 ? label : '', amount(total)]);
}

export function drawPlan(plan: BatchPlan, canvas: LabelCanvas): string {
  const first =
    plan.first === undefined ? '' : `${remark('The first:', canvas)}${drawMessage(plan.first, canvas)}`;
  return `${labelled(linesOf(plan), canvas)}${first}`;
}

export function planJson(plan: BatchPlan): Record<string, unknown> {
  return {
    schema: 'botctl/1',
    command: plan.command,
    name: plan.name,
    bot: plan.bot,
    base_url: plan.baseUrl,
    rows: {
      ...{ all: plan.rows, ...plan.standings, missing: plan.lacking },
      ...(plan.emptyRows === 0 ? {} : { empty: plan.emptyRows }),
    },
    ...(plan.columns.length === 0
      ? {}
      : { columns: plan.columns.slice(0, shownColumns).map((title) => clipped(title)) }),
    ...(plan.kind === 'message'
      ? {}
      : {
          totals: plan.totals,
          recipients: plan.recipients,
          recipients_paid_more_than_once: plan.recipientsRepeated,
          ...(plan.repeats.rows === 0 ? {} : { repeats: countsJson(plan.repeats) }),
          ...(plan.alike.rows === 0 ? {} : { alike: plan.alike.first.map(alikeJson) }),
        }),
  };
}

export function planView(plan: BatchPlan): View {
  return {
    json: {
      ...planJson(plan),
      ...plan.balance?.json,
      outcome: 'dry-run',
    },
    human: (canvas) => `${canvas.paint.bold(`Batch ${plan.name}`)}: ${onDryRun}\n${drawPlan(plan, canvas)}`,
  };
}
