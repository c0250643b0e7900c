import type { ExplainedEnd, RowEnd } from '../batch/rowEnd.ts';
import { type RowReport, reportRow, reportRows } from '../batch/rowReport.ts';
import type { SheetRow } from '../batch/sheet.ts';
import type { View } from '../display/display.ts';
import type { Retry } from '../errors.ts';
import { rowsNoLongerListed } from '../words/batchEnd.ts';
import { invalidRow } from '../words/batchPlan.ts';
import { explain } from '../words/explain.ts';
import { oddityWords } from '../words/notices.ts';
import { ofRow } from '../words/row.ts';
import { type Problem, problemOf } from '../words/told.ts';
import { withReport } from './batchAgain.ts';
import { type Batch, rowReportInputs } from './oneBatch.ts';
import { reportJsonOrError, reportOf } from './telling.ts';

const shownFailures = 20;

function jsonView(json: Record<string, unknown>): View {
  return { json, human: () => '' };
}

function whichRow({ line, id }: Pick<SheetRow, 'line' | 'id'>): Record<string, unknown> {
  return { line, ...(id === undefined ? {} : { id }) };
}

/** Tells of each row: with --json as an object, else only of what is not done. */
export class RowTeller {
  readonly #batch: Batch;
  #failures = 0;

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  /** What has ended before anything is sent: rows done earlier, and rows that are not valid. */
  async tellBefore(): Promise<void> {
    const { context, sheet } = this.#batch;
    if (context.display.face !== 'json') return;
    for (const row of sheet.rows()) {
      if (row.standing === 'done') await context.display.show(jsonView(await this.#doneJson(row)));
      if (row.standing === 'invalid') await context.display.show(jsonView(this.#invalidJson(row)));
    }
  }

  /** In words once, where it is shown or reported; what is well needs none. */
  explain(end: RowEnd, nowMs: number): ExplainedEnd | Promise<ExplainedEnd> {
    if (end.ending.code === undefined || !this.#isHeard()) return { tell: () => this.#tell(end) };
    return explain(end.ending, nowMs).then(({ problem }) => ({
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
      await context.display.show(jsonView({ ...whole, ...whichRow(row) }));
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

/** With --quiet a line for each row in input order: its message id or signature, or nothing. */
export async function tellQuietResults(batch: Batch): Promise<void> {
  const { display } = batch.context;
  if (!display.quiet || display.face === 'json') return;
  for await (const { result = '' } of reportRows(rowReportInputs(batch))) {
    await display.show({ json: {}, human: () => '', quiet: result });
  }
}

/** How the rows stand that a stop kept from their turn. Nothing that may have happened is called not begun. */
export async function countUnvisited(
  batch: Batch,
  counts: Map<RowReport['outcome'], number>,
  needs: Set<Retry>,
): Promise<void> {
  const inputs = rowReportInputs(batch);
  for (const page of batch.sheet.pages()) {
    const unvisited = page.filter(
      ({ outcome, standing }) => outcome === undefined && standing !== 'done' && standing !== 'invalid',
    );
    for (const { outcome } of await Promise.all(unvisited.map((row) => reportRow(row, inputs)))) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      needs.add(outcome === 'held' ? 'decide' : 'same-command');
    }
  }
}
