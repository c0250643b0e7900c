import { inputName } from '../../../batch/readRows.ts';
import { repeatsOf, type SheetRow } from '../../../batch/sheet.ts';
import type { ExplainedEnd, RowEnd } from '../../../batch/stopRules.ts';
import {
  type BadRow,
  type ConflictRow,
  type RefusedRow,
  type RefusedRows,
  type Survey,
  shownBadRows,
} from '../../../batch/survey.ts';
import { type Exit, exitOf } from '../../../once/failures.ts';
import { refusalCodes } from '../../../once/policy/policy.ts';
import type { BatchArgs } from '../../parse/sendingSpecs.ts';
import { conflictWords, invalidRow, rowsSkipped } from '../../say/batch.ts';
import { explain, oddityWords } from '../../say/explain.ts';
import { ofRow, ofRows, warningWords } from '../../say/intent.ts';
import { policyWords } from '../../say/outcomes.ts';
import { formatAmountOf } from '../../say/phrases.ts';
import {
  askToBegin,
  batchDone,
  invalidRows,
  labelOf,
  meaningOf,
  moreRowsNotListed,
  type NotDone,
  notDoneForPeople,
  refusedRows,
  rowsNoLongerListed,
  sharesOf,
} from '../../say/rows.ts';
import { declined, type Problem, problemOf } from '../../say/told.ts';
import { type Fact, labelled } from '../../show/card.ts';
import type { Display, Question, View } from '../../show/display.ts';
import { repeatsJson } from '../../show/report.ts';
import { reportJsonOrError, reportOf } from '../telling.ts';
import { type Batch, jsonView, repeatedJson, whichRow, withReport } from './options.ts';
import { amountLines, type BatchPlan, batchPlan, drawPlan, lineOf, planJson, withBalance } from './plan.ts';

const shownFailures = 20;

/** Reports each row: every one as an object with --json, otherwise only those that are not done. */
export class RowTeller {
  readonly #batch: Batch;
  #failures = 0;

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  /** Reports what is settled before anything is sent: rows done earlier, and invalid rows. */
  async tellBefore(): Promise<void> {
    const { context, sheet } = this.#batch;
    if (context.display.face !== 'json') return;
    for (const row of sheet.rows()) {
      if (row.standing === 'done') await context.display.show(jsonView(await this.#doneJson(row)));
      if (row.standing === 'skipped')
        await context.display.show(jsonView(repeatedJson(row, this.#batch.given)));
      if (row.standing === 'invalid') await context.display.show(jsonView(this.#invalidJson(row)));
    }
  }

  /** Explains a row once, when it is shown or reported. A successful row needs no explanation. */
  explain(end: RowEnd, nowMs: number): ExplainedEnd | Promise<ExplainedEnd> {
    if (end.ending.code === undefined || !this.#isHeard()) return { tell: () => this.#tell(end) };
    return explain(end.ending, nowMs, true).then(({ problem }) => ({
      problem: problem?.message,
      tell: () => this.#tell(end, problem),
    }));
  }

  #isHeard(): boolean {
    const { context, report } = this.#batch;
    return report !== undefined || context.display.face === 'json' || this.#failures < shownFailures;
  }

  async #tell({ row, ending }: RowEnd, problem?: Problem): Promise<void> {
    const { given, context, journal } = this.#batch;
    const { outcome } = ending;
    const warnings = ending.code === undefined ? ending.oddities.map(oddityWords) : [];
    if (context.display.face === 'json') {
      const report = journal && (await reportOf(outcome, given.command, journal, warnings));
      const whole =
        report === undefined
          ? { schema: 'botctl/1', command: given.command, error: problem }
          : await reportJsonOrError({ ...report, problem }, context.display);
      await context.display.show(jsonView({ ...whole, ...whichRow(row), ...repeatsJson(repeatsOf(row)) }));
      return;
    }
    for (const warning of warnings) this.#list(row, warning);
    if (problem !== undefined) this.#list(row, problem.message);
  }

  #list(row: SheetRow, text: string): void {
    const { display } = this.#batch.context;
    this.#failures += 1;
    if (this.#failures <= shownFailures) {
      display.warn(ofRow(row, text));
    }
    if (this.#failures === shownFailures) display.warn(rowsNoLongerListed, withReport(this.#batch.given));
  }

  async #doneJson(row: SheetRow): Promise<Record<string, unknown>> {
    const { given, context, journal } = this.#batch;
    const intent = row.intent === undefined ? undefined : await journal?.reads.get(row.intent);
    if (intent === undefined) return { schema: 'botctl/1', command: given.command, ...whichRow(row) };
    const attempt = await journal?.reads.decisiveAttempt(intent.id);
    const report = { command: given.command, intent, attempt, replayed: true, warnings: [] };
    return { ...(await reportJsonOrError(report, context.display)), ...whichRow(row) };
  }

  #invalidJson(row: SheetRow): Record<string, unknown> {
    return {
      schema: 'botctl/1',
      command: this.#batch.given.command,
      ...whichRow(row),
      error: problemOf(invalidRow(row.problem)),
    };
  }
}

/** Lists the first few bad rows on stderr; the report has all of them. */
export function listBadRows(
  { tally, causes, firstConflicts, warnings }: Survey,
  given: BatchArgs,
  display: Display,
): void {
  for (const warning of warnings) display.warn(warningWords(warning));
  for (const { reason, rows, first } of causes) {
    const [only = { line: 0 }] = first;
    display.warn(rows === 1 ? ofRow(only, reason) : ofRows(rows, first, reason));
  }
  const shown = causes.reduce((sum, { first }) => sum + first.length, 0);
  if (tally.standings.invalid > shown)
    display.warn(moreRowsNotListed(tally.standings.invalid - shown), withReport(given));
  list(firstConflicts.map(conflicting), tally.standings.conflict, given, display);
}

function conflicting({ plan, found, wanted, ...which }: ConflictRow): BadRow {
  return { ...which, reason: conflictWords(plan, found, wanted) };
}

function refusedRow({ refusal, ...which }: RefusedRow): BadRow {
  return { ...which, reason: policyWords(refusal).message };
}

function rowJson({ line, id, reason }: BadRow): Record<string, unknown> {
  return { line, reason, ...(id === undefined ? {} : { id }) };
}

function list(rows: readonly BadRow[], all: number, given: BatchArgs, display: Display): void {
  for (const { line, id, reason } of rows) {
    display.warn(ofRow({ line, id }, reason));
  }
  if (all > rows.length) display.warn(moreRowsNotListed(all - rows.length), withReport(given));
}

/** Ends a batch that sends nothing because some of its rows are invalid. */
export async function reportInvalid(surveyed: Survey, batch: Batch): Promise<Exit> {
  const { context, options } = batch;
  const { invalid } = surveyed.tally.standings;
  const source = inputName(options);
  const { decimalComma = false, fill } = options.mending;
  const isComma = surveyed.hasCommas && !decimalComma && fill?.amount === undefined;
  const way = isComma ? 'decimal-comma' : 'skip-invalid';
  const failure = invalidRows({ invalid, rows: surveyed.rows, source }, way, batch.given);
  const problem = problemOf(failure, batch.context.doing);
  await context.display.fail(problem, {
    ...planJson(batchPlan(surveyed, batch)),
    invalid: surveyed.firstBad.slice(0, shownBadRows).map(rowJson),
    error: problem,
  });
  return exitOf('bad-input');
}

/** Ends a batch because a policy refuses some of its rows. Skipping rows must not get around a limit. */
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
    batch.context.doing,
  );
  await context.display.fail(problem, {
    ...planJson(batchPlan(surveyed, batch)),
    refused: bad.map(rowJson),
    error: problem,
  });
  return exitOf(problem.code);
}

/** How many rows must still be done, or waited for. */
export function leftToSend({ tally }: Survey): number {
  const { new: fresh, unfinished, elsewhere } = tally.standings;
  return fresh + unfinished + elsewhere;
}

/** Shows what will be done, and asks where a person is. */
export async function tellPlan(surveyed: Survey, batch: Batch): Promise<void> {
  const { given, context, order } = batch;
  const { display } = context;
  const left = leftToSend(surveyed);
  const plan = batchPlan(surveyed, batch);
  const at = display.terminal();
  if (given.flag('yes') || left === 0 || at === 'none') {
    display.notice(lineOf(plan));
    return;
  }
  const asked = at === 'foreground' ? await withBalance(plan, batch) : plan;
  const question: Question = (canvas) =>
    `${drawPlan(asked, canvas)}${askToBegin(order.name, left, order.kind, surveyed.alike.rows)}`;
  if (!(await display.confirm(question))) throw declined();
}

/** How a batch ended: how many rows ended in each state, `unknown` first. */
export type BatchEnd = {
  readonly plan: BatchPlan;
  readonly doneNow: number;
  readonly doneBefore: number;
  /** Done by other runners since this one started; absent if the batch has only one runner. */
  readonly doneByOthers: number | undefined;
  /** Rows done now without evidence that the result matches the request. */
  readonly unverified: number;
  /** Rows that are not done, by state. */
  readonly notDone: readonly NotDone[];
  readonly stopped: string | undefined;
  readonly report: string | undefined;
};

export function batchEndJson(end: BatchEnd): Record<string, unknown> {
  const { plan, doneNow, doneBefore, doneByOthers, unverified, notDone, stopped, report } = end;
  const { skipped } = plan.standings;
  return {
    ...planJson(plan),
    result: {
      done: allDone(end),
      done_now: doneNow,
      done_before: doneBefore,
      ...(doneByOthers === undefined ? {} : { done_by_others: doneByOthers }),
      ...(skipped === undefined ? {} : { skipped }),
      ...(unverified === 0 ? {} : { unverified }),
      ...Object.fromEntries(notDone.map(({ outcome, rows }) => [outcome.replace('-', '_'), rows])),
    },
    ...(stopped === undefined ? {} : { stopped }),
    ...(report === undefined ? {} : { report }),
  };
}

function allDone({ doneNow, doneBefore, doneByOthers = 0 }: BatchEnd): number {
  return doneNow + doneBefore + doneByOthers;
}

export function batchEndView(end: BatchEnd): View {
  const { plan, doneNow, doneBefore, doneByOthers, notDone, report } = end;
  return {
    json: batchEndJson(end),
    human: (canvas) => {
      const { paint } = canvas;
      const mark = notDone.length === 0 ? paint.green('✔') : paint.yellow('•');
      const headline = batchDone(plan.name, allDone(end), plan.rows, doneBefore);
      const lines = [
        [
          'Shares',
          doneByOthers === undefined || doneNow + doneByOthers === 0
            ? undefined
            : sharesOf(doneNow, doneByOthers),
        ],
        ...(notDone.length === 0
          ? amountLines(plan, 'Amount', ({ all, asset }) => formatAmountOf(all, asset))
          : []),
        ['Skipped', plan.standings.skipped === undefined ? undefined : rowsSkipped(plan.repeats)],
        ...notDoneForPeople(notDone).map((one): Fact => [labelOf(one), meaningOf(one)]),
        ['Report', report],
      ] as const;
      return `${mark} ${paint.bold(headline)}\n${labelled(lines, canvas)}`;
    },
  };
}
