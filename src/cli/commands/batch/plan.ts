import type { Sheet } from '../../../batch/sheet.ts';
import type { Survey } from '../../../batch/survey.ts';
import { formatAmount } from '../../../once/intent/amount.ts';
import { clipped, counted, formatAmountOf, formatCount } from '../../../once/phrases.ts';
import { rowsPaidAlready } from '../../say/batch.ts';
import { keptColumns, rowFacts, rowsInALine, rowsMissing, rowsToApprove } from '../../say/rows.ts';
import { onDryRun } from '../../say/told.ts';
import { type Fact, type Fields, jsonOf, labelled, remark } from '../../show/card.ts';
import type { LabelCanvas, View } from '../../show/display.ts';
import { drawMessage } from '../../show/report.ts';
import type { BalanceShown } from '../balance.ts';
import { type Batch, countsJson } from './options.ts';

const shownColumns = 20;

/** What a batch would do before it starts. The balance is asked for only where somebody is shown it. */
type BatchPlan = {
  readonly surveyed: Survey;
  readonly batch: Batch;
  readonly balance?: BalanceShown | undefined;
};

export function batchPlan(surveyed: Survey, batch: Batch): BatchPlan {
  return { surveyed, batch };
}

type Total = { readonly asset: string; readonly all: string; readonly left: string };

function totalsOf({ tally }: Survey): Total[] {
  const totals = [...tally.totals].map(([asset, { all, left }]) => ({
    asset,
    all: formatAmount(all),
    left: formatAmount(left),
  }));
  return totals.filter(({ all }) => all !== '0');
}

/** Asks what the wallet holds, if something is left to be paid and a node can be asked. */
export async function withBalance(plan: BatchPlan, { bot, given, context }: Batch): Promise<BatchPlan> {
  const payable = totalsOf(plan.surveyed).filter(({ left }) => left !== '0');
  if (payable.length === 0) return plan;
  const { balanceToPay } = await import('../balance.ts');
  const asked = payable.map(({ asset, left }) => ({ asset, amount: left }));
  return { ...plan, balance: await balanceToPay(asked, bot, given, context) };
}

const nothing: Fact = ['', undefined];

/** Whose batch it is, and how its rows stand. */
function rowsOf({ surveyed, batch: { order, bot } }: BatchPlan): Fact[] {
  const { rows: all, tally, lacking: missing } = surveyed;
  const { waiting } = tally.standings;
  return [
    ['Name', undefined, { name: order.name }],
    ['Bot', bot.name, { bot: bot.name }],
    ['Service', bot.spelledUrl, { base_url: bot.spelledUrl }],
    ['Rows', formatCount(all), { rows: { all, ...tally.standings, missing } }],
    ['Approval', waiting === 0 ? undefined : rowsToApprove(waiting, all)],
    ...rowFacts({ ...tally.standings, waiting: undefined }),
  ];
}

/** What else the file says, and what it comes to. */
function contentOf({ surveyed, batch, balance }: BatchPlan): Fact[] {
  const { lacking, unsent: columns } = surveyed;
  const { order, sheet } = batch;
  const shown = columns.slice(0, shownColumns).map((title) => clipped(title));
  const facts: Fact[] = [
    ['Missing', lacking === 0 ? undefined : rowsMissing(lacking)],
    columns.length === 0 ? nothing : ['Kept', keptColumns(columns), { columns: shown }],
  ];
  if (order.kind === 'message') return facts;
  const totals = totalsOf(surveyed);
  const { distinct, repeated } = sheet.recipients();
  const counts = { recipients: distinct, recipients_paid_more_than_once: repeated };
  return [
    ...facts,
    ['Total', undefined, { totals }],
    ...lines('Total', totals.map(totalOf)),
    ['Balance', balance?.text, { ...balance?.json }],
    ['Recipients', distinct === 0 ? undefined : recipientsOf(distinct, repeated), counts],
  ];
}

/** Payments that were made before. */
function equalPayments({ surveyed: { equal } }: BatchPlan): Fact {
  if (equal.rows === 0) return nothing;
  return ['Paid before', rowsPaidAlready(equal), { equal_payments: countsJson(equal) }];
}

function totalOf({ asset, all, left }: Total): string {
  return `${formatAmountOf(all, asset)}${all === left ? '' : `, of which ${formatAmountOf(left, asset)} to send`}`;
}

function recipientsOf(recipients: number, repeated: number): string {
  if (repeated === 0) return formatCount(recipients);
  return `${formatCount(recipients)}, ${recipients === 1 ? '' : `${formatCount(repeated)} of them `}paid more than once`;
}

/** Several lines under one label. */
function lines(label: string, texts: readonly string[]): Fact[] {
  return texts.map((text, index) => [index === 0 ? label : '', text]);
}

/** One line for each asset. */
export function amountLines(surveyed: Survey): Fact[] {
  return lines(
    'Amount',
    totalsOf(surveyed).map(({ all, asset }) => formatAmountOf(all, asset)),
  );
}

const factsOf = (plan: BatchPlan): Fact[] => [...rowsOf(plan), ...contentOf(plan), equalPayments(plan)];

/** What will be done, in one line. */
export function lineOf(plan: BatchPlan): string {
  const { rows, tally } = plan.surveyed;
  const more = contentOf(plan).flatMap(([label, text]) => {
    if (text === undefined) return [];
    return [label === '' ? `, ${text}` : `; ${label.toLowerCase()} ${text}`];
  });
  return `batch ${plan.batch.order.name}: ${counted(rows, 'row')}: ${rowsInALine(tally.standings)}${more.join('')}`;
}

export function drawPlan(plan: BatchPlan, canvas: LabelCanvas): string {
  const { order, sheet } = plan.batch;
  const first = order.kind === 'message' ? firstOf(sheet) : undefined;
  const drawn = first === undefined ? '' : `${remark('The first:', canvas)}${drawMessage(first, canvas)}`;
  return `${labelled(factsOf(plan), canvas)}${drawn}`;
}

/** The first message that it would send, as it will look. */
function firstOf(sheet: Sheet): Fields | undefined {
  for (const { standing, request } of sheet.rows())
    if ((standing === 'new' || standing === 'unfinished') && request !== undefined)
      return JSON.parse(request) as Fields;
  return undefined;
}

export function planJson(plan: BatchPlan): Record<string, unknown> {
  return jsonOf(plan.batch.given.command, factsOf(plan));
}

export function planView(plan: BatchPlan): View {
  return {
    json: { ...planJson(plan), outcome: 'dry-run' },
    human: (canvas) =>
      `${canvas.paint.bold(`Batch ${plan.batch.order.name}`)}: ${onDryRun}\n${drawPlan(plan, canvas)}`,
  };
}
