import { type BatchPlan, isLeft, type Row } from '../../../batch/plan.ts';
import { Reasons } from '../../../batch/reasons.ts';
import { reportRows } from '../../../batch/report.ts';
import { countRows, type RowCounts } from '../../../batch/rowState.ts';
import type { Stop } from '../../../batch/stopRules.ts';
import { wasRepeated } from '../../../chain/verdict.ts';
import type { OutcomeToTell } from '../../../once/engine/outcome.ts';
import {
  claimedBy,
  type Exit,
  type Failure,
  type FailureCode,
  type Retry,
  retryOf,
} from '../../../once/failures.ts';
import { counted, formatCount } from '../../../once/phrases.ts';
import { errorJson, reportOf, tellEnd, tellRow } from '../../run/telling.ts';
import { card, jsonView } from '../../show/card.ts';
import type { View } from '../../show/display.ts';
import { equalJson, type Report } from '../../show/report.ts';
import { invalidRow, paidAsFacts, progressWords } from '../../wording/batch.ts';
import { repeatedWords, someUnproven } from '../../wording/chain.ts';
import { conflictNote, explain } from '../../wording/explain.ts';
import { again } from '../../wording/open.ts';
import { whyTheyWait } from '../../wording/outcomes.ts';
import { problemOf } from '../../wording/problem.ts';
import { codeOfRows, countFields, needsOf, notAllDone, rowFacts } from '../../wording/rows.ts';
import { type Batch, rowReportInputs, whichRow } from './options.ts';
import { paidNow, planJson, warnOf } from './showPlan.ts';
import type { RowsOnChain } from './wait.ts';

/** Reports each row: every one as an object with --json, otherwise only those that are not done. */
export class RowTeller {
  readonly #plan: BatchPlan;
  readonly #batch: Batch;
  readonly #said = new Reasons();
  /** Rows that were sent again after a request that may have taken effect. */
  repeated = 0;

  constructor(plan: BatchPlan, batch: Batch) {
    this.#plan = plan;
    this.#batch = batch;
  }

  /** Reports what is settled before anything is sent: rows done earlier, and invalid rows. */
  async tellBefore(): Promise<void> {
    const { display } = this.#batch.app;
    if (display.face !== 'json') return;
    for (const row of this.#plan.rows) {
      if (row.ahead === 'done') await this.#tellDone(row);
      if (row.ahead === 'invalid') {
        const problem = problemOf(invalidRow(row.problem));
        await display.show(jsonView(errorJson(this.#batch.app.args.command, problem, whichRow(row))));
      }
    }
  }

  /** Explains a row once, for what is shown and for the report. A successful row needs no explanation. */
  async tell(row: Row, ending: OutcomeToTell, nowMs: number): Promise<void> {
    const { app, journal, bot } = this.#batch;
    const { outcome } = ending;
    if (outcome.is === 'concluded' && wasRepeated(outcome.entry)) this.repeated += 1;
    const hasNode = bot.chain !== undefined;
    const explained = explain(ending, nowMs, { isRow: true, hasNode });
    const { problem, warnings } = explained;
    row.problem = problem?.message;
    const words = conflictNote(ending);
    if (words !== undefined) this.#said.note(row, words);
    if (app.display.face === 'json') {
      const { command } = app.args;
      const report = journal && (await reportOf(outcome, explained, command, journal.reads));
      const beside = { ...whichRow(row), ...equalJson(row.paidAs ?? row.equal) };
      if (report !== undefined) await tellRow(report, app.display, beside);
      else await app.display.show(jsonView({ ...errorJson(command, problem), ...beside }));
      return;
    }
    for (const warning of warnings) this.#said.note(row, warning);
    if (problem === undefined) return;
    const proposal = outcome.is === 'concluded' ? outcome.proposal : undefined;
    this.#said.note(
      row,
      problem.message,
      proposal && [{ reason: whyTheyWait(proposal), said: problem.message }],
    );
  }

  /** Shows the warnings after all rows have ended, equal ones as one. */
  tellAfter(): void {
    warnOf(this.#said, this.#batch.app.args, this.#batch.app.display);
  }

  async #tellDone(row: Row): Promise<void> {
    const { args, display } = this.#batch.app;
    const { command } = args;
    const reads = this.#batch.journal?.reads;
    const entry = row.entry === undefined ? undefined : await reads?.get(row.entry);
    if (entry === undefined) {
      await display.show(jsonView({ schema: 'botctl/1', command, ...whichRow(row) }));
      return;
    }
    const attempt = await reads?.decisiveAttempt(entry.id);
    const report: Report = { command, entry, attempt, replayed: true, warnings: [] };
    await tellRow(report, display, { ...whichRow(row), ...equalJson(row.paidAs) });
  }
}

export function progressOf({ rows, counts }: Pick<BatchPlan, 'rows' | 'counts'>, runsMs: number): string {
  const toDo = rows.length - counts.done - counts.invalid;
  let [done, failed, unknown] = [0, 0, 0];
  for (const { outcome } of rows) {
    if (outcome === 'done') done += 1;
    else if (outcome === 'unknown') unknown += 1;
    else if (outcome !== undefined) failed += 1;
  }
  return progressWords({ toDo, done, failed, unknown }, runsMs);
}

export type FinishedRun = {
  readonly stop: Stop | undefined;
  /** The failure if the journal could not give the states of rows that this run did not end. */
  readonly unread: Failure | undefined;
  readonly repeated: number;
  /** The chain's answer about accepted rows, if the batch waited for it. */
  readonly chain: RowsOnChain | undefined;
  readonly report: string | undefined;
};

/** Says how the batch ended, and how to go on. */
export async function endBatch(plan: BatchPlan, run: FinishedRun, batch: Batch): Promise<Exit> {
  const { display } = batch.app;
  const { unread, repeated, chain } = run;
  if (unread === undefined) await tellQuietResults(plan, batch);
  const unsure = chain?.unsure ?? repeated;
  if (unsure > 0) display.warn(repeatedWords(unsure));
  if (!display.quiet && chain !== undefined) display.notice(rowsOnChain(chain));
  const stop = run.stop ?? (unread && { because: 'failure', failure: unread });
  // Invalid rows, and rows done before this run, have no outcome.
  const counts = countRows(plan.rows.map(({ outcome, ahead }) => [outcome ?? ahead, 1]));
  const failure = await problemOfEnd(plan, { ...run, stop }, counts, batch);
  return tellEnd(endView(plan, { ...run, stop }, counts, batch), failure, display);
}

/** A re-run that can finish rows comes first, then payments that the chain denies or shows were made twice. */
async function problemOfEnd(
  { rows }: BatchPlan,
  { chain, stop }: FinishedRun,
  counts: RowCounts,
  batch: Batch,
): Promise<Failure | undefined> {
  const { contradicted: against = 0, paidAgain: twice = 0, undecided: open = 0 } = chain ?? {};
  const needs = needsOf(counts);
  const isDone = needs.size === 0;
  const isUnproven = isDone ? against + twice + open > 0 : against + twice > 0;
  if (chain !== undefined && isUnproven && !needs.has('same-command')) return someUnproven(chain);
  if (isDone) return undefined;
  if (open > 0) needs.add('same-command');
  // A row that could not be read, but had an entry, may be in doubt.
  const mayBeInDoubt =
    counts.unknown + counts.sending > 0 ||
    rows.some((row) => row.outcome === 'unread' && isLeft(row) && row.entry !== undefined);
  const hasBegun = claimedBy(batch.app.interrupts) !== undefined;
  const code = (mayBeInDoubt ? undefined : faultOfJournal(stop, hasBegun)) ?? codeOfEnd(needs, stop);
  const ended = { name: batch.order.name, again: again(batch.app.args), stop };
  return notAllDone(code, counts, needs, ended);
}

/** The code of a journal's failure that must be fixed or decided. An outage counts only if no row was begun. */
function faultOfJournal(stop: Stop | undefined, hasBegun: boolean): FailureCode | undefined {
  if (stop?.because !== 'failure') return undefined;
  const { code } = stop.failure;
  const counts = retryOf(code) !== 'same-command' || !hasBegun;
  return code.startsWith('journal-') && counts ? code : undefined;
}

function codeOfEnd(needs: ReadonlySet<Retry>, stop: Stop | undefined): FailureCode {
  const code = codeOfRows(needs) ?? 'not-all-done';
  return code === 'not-all-done' && stop !== undefined && needsFixing(stop) ? 'stopped' : code;
}

function needsFixing(stop: Stop): boolean {
  if (stop.because === 'failure') return retryOf(stop.failure.code) === 'after-fix';
  return stop.because === 'token' || stop.because === 'balance' || stop.because === 'certificate';
}

function endView(plan: BatchPlan, { stop, report }: FinishedRun, counts: RowCounts, batch: Batch): View {
  const { app, order, journal } = batch;
  const { rows } = plan;
  const before = plan.counts.done;
  const { done } = counts;
  const notDone = { ...counts, done: 0 };
  const ended = rows.filter(({ outcome }) => outcome === 'done');
  const now = ended.filter(({ sent }) => sent).length;
  // Nobody sent a row that an equal payment settled.
  const byOthers = ended.filter(({ paidAs: by, sent }) => by === undefined && !sent).length;
  const paidAs = rows.map(({ paidAs: by }) => [by?.name ?? by?.id, 1] as const);
  const result = {
    done: done === 0 ? undefined : done,
    done_now: now,
    done_before: before,
    done_by_others: journal?.isShared === true || byOthers > 0 ? byOthers : undefined,
    ...countFields(notDone),
  };
  const shares = `${counted(now, 'row')} by this process, ${counted(byOthers, 'row')} by others`;
  return card(
    app.args.command,
    ({ paint }) => {
      const mark = needsOf(counts).size === 0 ? paint.green('✔') : paint.yellow('•');
      const earlier = before === 0 ? '' : `, ${formatCount(before)} of them earlier`;
      const headline = `Batch ${order.name}: ${formatCount(done)} of ${formatCount(rows.length)} done${earlier}`;
      return `${mark} ${paint.bold(headline)}\n`;
    },
    [
      ['Plan', undefined, planJson({ plan, batch })],
      ['Shares', byOthers === 0 ? undefined : shares, { result }],
      ...paidAsFacts(paidAs, now),
      ...paidNow(plan),
      ...rowFacts(notDone, stop),
      ['Stopped', undefined, { stopped: stop?.because }],
      ['Report', report, { report }],
    ],
  );
}

/** With --quiet, prints a line for each row in input order: its message id or signature, or an empty line. */
async function tellQuietResults({ rows }: BatchPlan, batch: Batch): Promise<void> {
  const { display } = batch.app;
  if (!display.quiet || display.face === 'json') return;
  for await (const { result = '' } of reportRows(rowReportInputs(rows, batch))) {
    await display.show({ json: {}, human: () => '', quiet: result });
  }
}

/** For the end of a batch: the chain's answer about its accepted rows. */
function rowsOnChain({ proven, contradicted, paidAgain: again, undecided: open }: RowsOnChain): string {
  const more = again === 0 ? '' : `${again} paid more than once, `;
  return `On the chain: ${proven} proven, ${contradicted} contradicted, ${more}${open} undecided.`;
}
