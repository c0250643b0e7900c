import { inputName } from '../../../batch/readRows.ts';
import { Reasons } from '../../../batch/reasons.ts';
import type { SheetRow } from '../../../batch/sheet.ts';
import type { ExplainedEnd, RowEnd } from '../../../batch/stopRules.ts';
import type { Survey } from '../../../batch/survey.ts';
import { type Exit, exitOf, Failure } from '../../../once/failures.ts';
import { counted, formatCount } from '../../../once/phrases.ts';
import { policyFailure } from '../../../policy/facts.ts';
import type { BatchArgs } from '../../parse/sendingSpecs.ts';
import { invalidRow, rowsInConflict } from '../../say/batch.ts';
import { explain, oddStatusWords } from '../../say/explain.ts';
import { ofRow, ofRows, warningWords } from '../../say/intent.ts';
import { askToBegin, invalidRows } from '../../say/rows.ts';
import { declined, type Problem, problemOf } from '../../say/told.ts';
import type { Fields } from '../../show/card.ts';
import { type Display, isSilent, type Question } from '../../show/display.ts';
import { equalJson } from '../../show/report.ts';
import { reportJsonOrError, reportOf } from '../telling.ts';
import { type Batch, jsonView, whichRow, withReport } from './options.ts';
import { batchPlan, drawPlan, lineOf, planJson, planView, withBalance } from './plan.ts';

/** Reports each row: every one as an object with --json, otherwise only those that are not done. */
export class RowTeller {
  readonly #batch: Batch;
  readonly #said = new Reasons();

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  /** Reports what is settled before anything is sent: rows done earlier, and invalid rows. */
  async tellBefore(): Promise<void> {
    const { context, sheet } = this.#batch;
    if (context.display.face !== 'json') return;
    for (const row of sheet.rows()) {
      if (row.standing === 'done') await context.display.show(jsonView(await this.#doneJson(row)));
      if (row.standing === 'invalid') await context.display.show(jsonView(this.#invalidJson(row)));
    }
  }

  /** Explains a row once, for what is shown and for the report. A successful row needs no explanation. */
  explain(end: RowEnd, nowMs: number): ExplainedEnd {
    if (end.ending.code === undefined) return { tell: () => this.#tell(end) };
    const hasNode = this.#batch.bot.chain !== undefined;
    const { problem } = explain(end.ending, nowMs, { isRow: true, hasNode });
    return { problem: problem?.message, tell: () => this.#tell(end, problem) };
  }

  async #tell({ row, ending }: RowEnd, problem?: Problem): Promise<void> {
    const { given, context, journal } = this.#batch;
    const { outcome } = ending;
    const { code, oddStatus } = ending;
    const warnings = code !== undefined || oddStatus === undefined ? [] : [oddStatusWords(oddStatus)];
    if (context.display.face === 'json') {
      const report = journal && (await reportOf(outcome, given.command, journal, warnings));
      const whole =
        report === undefined
          ? { schema: 'botctl/1', command: given.command, error: problem }
          : await reportJsonOrError({ ...report, problem }, context.display);
      await context.display.show(jsonView({ ...whole, ...whichRow(row), ...equalJson(row.equal) }));
      return;
    }
    for (const warning of warnings) this.#said.note(row, warning);
    // What is in conflict was listed before.
    if (problem !== undefined && row.standing !== 'conflict') this.#said.note(row, problem.message);
  }

  /** Once all rows have ended, so that equal warnings are one. */
  tellAfter(): void {
    warnOf(this.#said, this.#batch.given, this.#batch.context.display);
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

/** Lists bad rows on stderr, equal ones on one line; the report has all of them. */
export function listBadRows({ bad, conflicts, warnings }: Survey, given: BatchArgs, display: Display): void {
  for (const warning of warnings) display.warn(warningWords(warning));
  for (const some of [bad, conflicts]) warnOf(some, given, display);
}

function warnOf(reasons: Reasons, given: BatchArgs, display: Display): void {
  for (const { reason, rows, first } of reasons.causes) {
    const [only] = first;
    display.warn(rows === 1 && only !== undefined ? ofRow(only, reason) : ofRows(rows, first, reason));
  }
  if (reasons.left > 0)
    display.warn(`… and ${formatCount(reasons.left)} more; --report lists them all`, withReport(given));
}

/** Why nothing of a batch is sent because of some of its rows. Skipping rows must not get around a limit. */
export function rowsRefused(surveyed: Survey, { given, options }: Batch): RefusedRows | undefined {
  const { bad, refused, refusal, rows, tally, hasOtherBodies } = surveyed;
  const { invalid } = tally.standings;
  const source = inputName(options);
  if (invalid > 0 && !options.skipInvalid) {
    return { told: invalidRows({ ...surveyed, invalid, source }, given), fields: { invalid: bad.first } };
  }
  if (refusal === undefined) {
    const { conflict } = tally.standings;
    if (conflict === 0) return undefined;
    return { told: rowsInConflict(conflict, rows, hasOtherBodies ? 'other-body' : 'other-bot'), fields: {} };
  }
  const { code, message, details } = policyFailure(refusal.rule, refusal);
  const says = `A policy refuses ${refused.rows} of the ${counted(rows, 'row')} in ${source}. The first: ${message}`;
  return {
    told: new Failure(code, says, details),
    fields: { refused: refused.first },
  };
}

type RefusedRows = { readonly told: Failure; readonly fields: Fields };

/** Ends a batch that sends nothing. */
export async function tellRefused(
  { told, fields }: RefusedRows,
  surveyed: Survey,
  batch: Batch,
): Promise<Exit> {
  const { display } = batch.context;
  warnOf(surveyed.refused, batch.given, display);
  const problem = problemOf(told, batch.context.doing);
  await display.fail(problem, { ...planJson(batchPlan(surveyed, batch)), ...fields, error: problem });
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
  if (given.flag('yes') || left + surveyed.waitsAhead === 0 || at === 'none') {
    display.notice(lineOf(plan));
    return;
  }
  const asked = at === 'foreground' ? await withBalance(plan, batch) : plan;
  const question: Question = (canvas) =>
    `${drawPlan(asked, canvas)}${askToBegin(order.name, left, order.kind, surveyed.waitsAhead)}`;
  if (!(await display.confirm(question))) throw declined();
}

/** Shows what a run would do. */
export async function tellDryRun(surveyed: Survey, batch: Batch): Promise<void> {
  const { display } = batch.context;
  const plan = batchPlan(surveyed, batch);
  const shown = isSilent(display) ? plan : await withBalance(plan, batch);
  for (const warning of shown.balance?.warnings ?? []) display.warn(warning);
  await display.show(planView(shown));
}
