import { inputName } from '../batch/readRows.ts';
import {
  type BadRow,
  type ConflictRow,
  type RefusedRow,
  type RefusedRows,
  type Survey,
  type SurveyWarning,
  shownBadRows,
} from '../batch/survey.ts';
import type { Given } from '../cli/given.ts';
import { type BatchPlan, drawPlan, planJson } from '../display/batchView.ts';
import type { Display } from '../display/display.ts';
import { plainCanvas } from '../display/drawing.ts';
import { type Exit, exitOf } from '../errors.ts';
import { formatAmount } from '../intent/amount.ts';
import { refusalCodes } from '../policy/rules.ts';
import { again } from '../words/again.ts';
import { declined } from '../words/asking.ts';
import {
  askToBegin,
  batchInALine,
  conflictWords,
  invalidRows,
  moreRowsNotListed,
} from '../words/batchPlan.ts';
import { warningWords } from '../words/complaints.ts';
import type { Interruption } from '../words/ends.ts';
import { policyWords, rowsLookAlike } from '../words/policy.ts';
import { refusedRows } from '../words/refusedRows.ts';
import { ofRow } from '../words/row.ts';
import { problemOf } from '../words/told.ts';
import { withReport } from './batchAgain.ts';
import type { Batch } from './oneBatch.ts';

/** What the survey found, as it is shown. */
export function batchPlan(surveyed: Survey, { given, order, bot, sheet }: Batch): BatchPlan {
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
    totals: totals.filter(({ all }) => all !== '0'),
    recipients: distinct,
    recipientsRepeated: repeated,
  };
}

/** The first of the bad rows on stderr; all of them are in the report. */
export function listBadRows(
  { tally, firstBad, firstConflicts, warnings }: Survey,
  given: Given,
  display: Display,
): void {
  for (const warning of warnings) display.warn(inAWarning(warning));
  list(firstBad, tally.standings.invalid, given, display);
  list(firstConflicts.map(conflicting), tally.standings.conflict, given, display);
}

function inAWarning(warning: SurveyWarning): string {
  if (warning.is !== 'rows-look-alike') return warningWords(warning);
  return rowsLookAlike(warning.line, warning.address, warning.other);
}

function conflicting({ plan, ...which }: ConflictRow): BadRow {
  return { ...which, reason: conflictWords[plan] };
}

function refusedRow({ refusal, ...which }: RefusedRow): BadRow {
  return { ...which, reason: policyWords(refusal).message };
}

function rowJson({ line, id, reason }: BadRow): Record<string, unknown> {
  return { line, reason, ...(id === undefined ? {} : { id }) };
}

function list(rows: readonly BadRow[], all: number, given: Given, display: Display): void {
  for (const { line, id, reason } of rows) {
    display.warn(ofRow({ line, id }, reason));
  }
  if (all > rows.length) {
    display.warn(moreRowsNotListed(all - rows.length), withReport(given));
  }
}

/** Ends a batch of which nothing is sent, because some of its rows are not valid. */
export async function reportInvalid(surveyed: Survey, batch: Batch): Promise<Exit> {
  const { context, options } = batch;
  const { invalid } = surveyed.tally.standings;
  const source = inputName(options);
  const skipping = again(batch.given, [], { name: 'skip-invalid', value: true });
  const failure = invalidRows({ invalid, rows: surveyed.rows, source }, skipping);
  const problem = problemOf(failure, doingOf(surveyed, batch));
  await context.display.fail(problem, {
    ...planJson(batchPlan(surveyed, batch)),
    invalid: surveyed.firstBad.slice(0, shownBadRows).map(rowJson),
    error: problem,
  });
  return exitOf('bad-input');
}

/** The same, because a policy refuses some of its rows. Skipping rows skips no limit. */
export async function reportRefused(
  { rows, first, refusal }: RefusedRows,
  surveyed: Survey,
  batch: Batch,
): Promise<Exit> {
  const { context, options } = batch;
  const bad = first.map(refusedRow);
  list(bad, rows, batch.given, context.display);
  if (refusal === undefined) throw new Error('what a policy refuses has a reason');
  const problem = problemOf(
    refusedRows(
      { refused: rows, rows: surveyed.rows, source: inputName(options) },
      refusal,
      refusalCodes[refusal.rule],
    ),
    doingOf(surveyed, batch),
  );
  await context.display.fail(problem, {
    ...planJson(batchPlan(surveyed, batch)),
    refused: bad.map(rowJson),
    error: problem,
  });
  return exitOf(problem.code);
}

/** Rows that are not new may have been sent by an earlier run. */
function doingOf({ rows, tally }: Survey, { context: { doing } }: Batch): Interruption {
  const { new: fresh, invalid } = tally.standings;
  return { does: doing.does, begun: doing.begun, isRunAgain: fresh + invalid < rows };
}

/** How many rows are still to be done, or waited for. */
export function leftToSend({ tally }: Survey): number {
  const { new: fresh, unfinished, elsewhere } = tally.standings;
  return fresh + unfinished + elsewhere;
}

/** Shows what is about to be done; on a terminal, asks. */
export async function tellPlan(surveyed: Survey, batch: Batch): Promise<void> {
  const { given, context, order } = batch;
  const { display } = context;
  const plan = batchPlan(surveyed, batch);
  const left = leftToSend(surveyed);
  if (!display.interactive || given.flag('yes') || left === 0) {
    display.notice(lineOf(plan));
    return;
  }
  const question = `${drawPlan(plan, plainCanvas(display.columns))}${askToBegin(left, order.kind)}`;
  if (!(await display.confirm(question))) throw declined();
}

function lineOf({ kind, totals, recipients, recipientsRepeated: repeated, ...plan }: BatchPlan): string {
  return batchInALine(kind === 'message' ? plan : { ...plan, money: { totals, recipients, repeated } });
}
