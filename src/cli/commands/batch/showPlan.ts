import {
  type BatchPlan,
  type EqualRow,
  equalRows,
  isLeft,
  type Row,
  recipientsOf,
  rowsLeft,
  rowsToPropose,
  totalsOf,
} from '../../../batch/plan.ts';
import { inputName } from '../../../batch/read.ts';
import type { Reasons } from '../../../batch/reasons.ts';
import type { RowCounts } from '../../../batch/rowState.ts';
import { formatAmount } from '../../../once/entry/amount.ts';
import { type Exit, exitOf, Failure } from '../../../once/failures.ts';
import {
  clipped,
  counted,
  formatAgo,
  formatAmountOf,
  formatCount,
  isoExact,
  listed,
} from '../../../once/phrases.ts';
import type { BalanceShown } from '../../run/balance.ts';
import { tellEnd } from '../../run/telling.ts';
import { type Fact, type Fields, jsonOf, labelled, remark } from '../../show/card.ts';
import type { Display, LabelCanvas, View } from '../../show/display.ts';
import { drawMessage } from '../../show/entry.ts';
import { tooLittleToPay } from '../../wording/balance.ts';
import { rowsInConflict, rowsPaidAlready } from '../../wording/batch.ts';
import { ofRow, ofRows, warningWords } from '../../wording/entry.ts';
import { again } from '../../wording/open.ts';
import { problemOf } from '../../wording/problem.ts';
import {
  codeOfRows,
  countFields,
  invalidRows,
  needsOf,
  notAllDone,
  rowFacts,
  rowsInALine,
  rowsToApprove,
  unsentColumns,
} from '../../wording/rows.ts';
import type { BatchArgs } from './batch.spec.ts';
import { type Batch, countsJson, withReport } from './options.ts';

/** A batch's plan, with what else is shown. */
export type PlanToShow = {
  readonly plan: BatchPlan;
  readonly batch: Batch;
  readonly balance?: BalanceShown | undefined;
  /** The rows that are equal to another payment are listed below the plan. */
  readonly listsEqual?: true;
};

/** The wallet's balance for the rows that will be paid, including equal payments if they are paid `besides`. */
export async function balanceAhead(
  plan: BatchPlan,
  { bot, app }: Batch,
  besides: boolean,
): Promise<BalanceShown | undefined> {
  const payable = [...totalsOf(plan, besides)].flatMap(([asset, { unpaid }]) =>
    unpaid.units === 0n ? [] : [{ asset, amount: formatAmount(unpaid) }],
  );
  if (payable.length === 0) return undefined;
  const { balanceToPay } = await import('../../run/balance.ts');
  return balanceToPay(payable, bot, app);
}

type Total = { readonly asset: string; readonly all: string; readonly left: string };

/** With --skip-repeats, rows that equal another payment are not sent. */
function countsAhead({ plan, batch: { options } }: PlanToShow): RowCounts {
  const skipped = options.repeats === 'skip' ? equalRows(plan).length : 0;
  const { counts } = plan;
  return {
    ...counts,
    'to-send': counts['to-send'] - skipped,
    'paid-already': counts['paid-already'] + skipped,
  };
}

function shownTotals({ plan, batch: { options } }: PlanToShow): Total[] {
  return [...totalsOf(plan, options.repeats !== 'skip')].map(([asset, { all, left }]) => ({
    asset,
    all: formatAmount(all),
    left: formatAmount(left),
  }));
}

/** The batch's bot, and the states of its rows. */
function rowsOf(ahead: PlanToShow): Fact[] {
  const { order, bot } = ahead.batch;
  const { rows } = ahead.plan;
  const counts = countsAhead(ahead);
  const { waiting } = counts;
  return [
    ['Name', undefined, { name: order.name }],
    ['Bot', bot.name, { bot: bot.name }],
    ['Service', bot.spelledUrl, { base_url: bot.spelledUrl }],
    ['Rows', formatCount(rows.length), { rows: { all: rows.length, ...countFields(counts) } }],
    ['Approval', waiting === 0 ? undefined : rowsToApprove(waiting, rows.length)],
    ...rowFacts({ ...counts, waiting: 0 }),
  ];
}

const shownColumns = 20;

/** The file's other columns, and the sums. */
function contentOf(ahead: PlanToShow): Fact[] {
  const { plan, batch, balance } = ahead;
  const { unsent } = plan;
  const columns = unsent.slice(0, shownColumns).map((title) => clipped(title));
  const kept: Fact[] = unsent.length === 0 ? [] : [['Kept', unsentColumns(unsent), { columns }]];
  if (batch.order.kind === 'message') return kept;
  const totals = shownTotals(ahead);
  const { distinct, repeated } = recipientsOf(plan);
  const counts = { recipients: distinct, recipients_paid_more_than_once: repeated };
  return [
    ...kept,
    ['Total', undefined, { totals }],
    ...lines('Total', totals.map(totalText)),
    ['Balance', balance?.text, { ...balance?.json }],
    ['Recipients', distinct === 0 ? undefined : recipientsText(distinct, repeated), counts],
  ];
}

function equalPayments(equal: readonly EqualRow[]): Fact[] {
  if (equal.length === 0) return [];
  return [['Paid before', rowsPaidAlready(equal), { equal_payments: countsJson(equal) }]];
}

function totalText({ asset, all, left }: Total): string {
  return `${formatAmountOf(all, asset)}${all === left ? '' : `, of which ${formatAmountOf(left, asset)} to send`}`;
}

function recipientsText(recipients: number, repeated: number): string {
  if (repeated === 0) return formatCount(recipients);
  return `${formatCount(recipients)}, ${recipients === 1 ? '' : `${formatCount(repeated)} of them `}paid more than once`;
}

/** Several lines under one label. */
function lines(label: string, texts: readonly string[]): Fact[] {
  return texts.map((text, index) => [index === 0 ? label : '', text]);
}

/** One line for each asset that this run paid. */
export function paidNow(plan: BatchPlan): Fact[] {
  const paid = [...totalsOf(plan)].flatMap(([asset, { now }]) =>
    now.units === 0n ? [] : [{ asset, amount: formatAmount(now) }],
  );
  return [
    ['Paid', undefined, recipientsOf(plan).distinct === 0 ? {} : { paid_now: paid }],
    ...lines(
      'Paid now',
      paid.map(({ asset, amount }) => formatAmountOf(amount, asset)),
    ),
  ];
}

/** How many rows pay what an earlier batch paid. This is no reason to stop: salaries are equal every month. */
function paidEarlier({ plan: { earlier, rows }, batch: { journal, app } }: PlanToShow): Fact[] {
  if (earlier === undefined) return [];
  const { batch, atMs } = earlier;
  const of = `${formatCount(earlier.rows)} of ${counted(rows.length, 'row')}`;
  const ago = formatAgo((journal ?? app).clock.now() - atMs);
  const text = `${of} ${earlier.rows === 1 ? 'pays' : 'pay'} what ${batch} paid, ${ago}`;
  return [['Earlier', text, { earlier: { batch, rows: earlier.rows, at: isoExact(atMs) } }]];
}

function factsOf(ahead: PlanToShow): Fact[] {
  const equal = ahead.listsEqual === true ? [] : equalRows(ahead.plan);
  return [...rowsOf(ahead), ...contentOf(ahead), ...paidEarlier(ahead), ...equalPayments(equal)];
}

/** `70,571.62 USDC to 34 people`. */
function sumOf(rows: readonly Row[]): string {
  const sums = [...totalsOf({ rows })].map(([asset, { all }]) => formatAmountOf(formatAmount(all), asset));
  return `${listed(sums)} to ${counted(recipientsOf({ rows }).distinct, 'person', 'people')}`;
}

export function askToBegin({ plan, batch: { order, options } }: PlanToShow): string {
  if (order.kind === 'message') return `Send ${counted(rowsLeft(plan), 'message')}?`;
  const skips = options.repeats === 'skip';
  const paid = plan.rows.filter((row) => isLeft(row) && !(skips && row.equal !== undefined));
  const proposed = rowsToPropose(plan);
  if (rowsLeft(plan) === 0) return `Propose to pay ${sumOf(proposed)}?`;
  const pays = paid.length === 0 ? 'Pay nothing, and count what was paid as done' : `Pay ${sumOf(paid)}`;
  return `${pays}${proposed.length === 0 ? '' : `, and propose to pay ${sumOf(proposed)}`}?`;
}

/** The plan in one line. */
export function lineOf(ahead: PlanToShow): string {
  const { rows } = ahead.plan;
  const counts = countsAhead(ahead);
  // Only the plan that a person reads says how to set a node.
  const balance = ahead.balance?.json.balances === undefined ? undefined : ahead.balance;
  const more = contentOf({ ...ahead, balance }).flatMap(([label, text]) => {
    if (text === undefined) return [];
    return [label === '' ? `, ${text}` : `; ${label.toLowerCase()} ${text}`];
  });
  return `batch ${ahead.batch.order.name}: ${counted(rows.length, 'row')}: ${rowsInALine(counts)}${more.join('')}`;
}

export function drawPlan(ahead: PlanToShow, canvas: LabelCanvas): string {
  const first = ahead.batch.order.kind === 'message' ? firstOf(ahead.plan) : undefined;
  const drawn = first === undefined ? '' : `${remark('The first:', canvas)}${drawMessage(first, canvas)}`;
  return `${labelled(factsOf(ahead), canvas)}${drawn}`;
}

/** The first message to send, as it will look. */
function firstOf({ rows }: BatchPlan): Fields | undefined {
  const first = rows.find(({ ahead }) => ahead === 'to-send');
  return first?.identity && { ...first.identity.order.wanted.request };
}

export function planJson(ahead: PlanToShow): Record<string, unknown> {
  return jsonOf(ahead.batch.app.args.command, factsOf(ahead));
}

function planView(ahead: PlanToShow): View {
  return {
    json: { ...planJson(ahead), outcome: 'dry-run' },
    human: (canvas) =>
      `${canvas.paint.bold(`Batch ${ahead.batch.order.name}`)}: nothing is sent (--dry-run)\n${drawPlan(ahead, canvas)}`,
  };
}

/** Shows what a run would do, and returns 0, or the exit code of a run that would send nothing. */
export async function tellDryRun(
  plan: BatchPlan,
  batch: Batch,
  balance: BalanceShown | undefined,
): Promise<Exit> {
  const view = planView({ plan, batch, balance });
  return tellEnd(view, await nothingToSend(plan, batch), batch.app.display);
}

/** Why the run would send nothing, unless all rows are done. */
async function nothingToSend(plan: BatchPlan, { order, app }: Batch): Promise<Failure | undefined> {
  if (rowsLeft(plan) > 0 && plan.closed !== undefined) return plan.closed;
  const needs = needsOf(plan.counts);
  const code = rowsLeft(plan) > 0 ? undefined : codeOfRows(needs);
  if (code === undefined) return undefined;
  const running = { name: order.name, again: again(app.args, ['dry-run']) };
  return notAllDone(code, plan.counts, needs, running);
}

/** Why a batch sends nothing. */
export type Refused = { readonly failure: Failure; readonly fields: Fields };

export function tooLittleFor(balance: BalanceShown | undefined): Refused | undefined {
  if (balance === undefined || balance.warnings.length === 0) return undefined;
  return { failure: tooLittleToPay(balance.warnings), fields: {} };
}

/** The failure if some rows stop the whole batch. Skipping rows must not get around a limit. */
export function refusedAhead(plan: BatchPlan, { app, options }: Batch): Refused | undefined {
  const { bad, refused, refusal, rows, counts, isRenumbered } = plan;
  const { invalid, taken } = counts;
  const source = inputName(options);
  const all = rows.length;
  if (invalid > 0 && !options.skipInvalid)
    return {
      failure: invalidRows({ ...plan, invalid, rows: all, source }, app.args),
      fields: { invalid: bad.first },
    };
  if (refusal === undefined)
    return taken === 0 ? undefined : { failure: rowsInConflict(taken, all, isRenumbered), fields: {} };
  const { code, message, details } = refusal;
  const text = `A policy refuses ${refused.rows} of the ${counted(all, 'row')} in ${source}. The first: ${message}`;
  const hint = 'Leave these rows out, or have the policy changed. A daily limit allows more later.';
  const said = refused.rows === 1 ? details : { ...details, hint };
  return { failure: new Failure(code, text, said), fields: { refused: refused.first } };
}

/** Ends a batch that sends nothing. */
export async function tellRefused(
  { failure, fields }: Refused,
  plan: BatchPlan,
  batch: Batch,
): Promise<Exit> {
  const { display, doing } = batch.app;
  warnOf(plan.refused, batch.app.args, display);
  const problem = problemOf(failure, doing);
  await display.fail(problem, { ...planJson({ plan, batch }), ...fields, error: problem });
  return exitOf(problem.code);
}

/** Lists bad rows on stderr, one line for each cause. The report has all of them. */
export function listBadRows(
  { bad, conflicts, warnings }: BatchPlan,
  args: BatchArgs,
  display: Display,
): void {
  for (const warning of warnings) display.warn(warningWords(warning));
  for (const some of [bad, conflicts]) warnOf(some, args, display);
}

export function warnOf(reasons: Reasons, args: BatchArgs, display: Display): void {
  for (const { reason, rows, first } of reasons.causes) {
    const [only] = first;
    display.warn(rows === 1 && only !== undefined ? ofRow(only, only.reason) : ofRows(rows, first, reason));
  }
  if (reasons.left > 0)
    display.warn(`… and ${formatCount(reasons.left)} more; --report lists them all`, withReport(args));
}
