import { reportRows, type UnverifiedRows } from '../../../batch/report.ts';
import { type Counts, lookAgain, type RunEnd } from '../../../batch/runRows.ts';
import type { Stop } from '../../../batch/stopRules.ts';
import type { Survey } from '../../../batch/survey.ts';
import {
  asFailure,
  claimedBy,
  type Exit,
  exitOf,
  type Failure,
  type FailureCode,
  type Retry,
  retryOf,
} from '../../../once/failures.ts';
import type { Journal } from '../../../once/journal/journal.ts';
import { counted, formatCount } from '../../../once/phrases.ts';
import { repeatedWords, someUnproven } from '../../say/chain.ts';
import { knownKeyNote } from '../../say/explain.ts';
import { again } from '../../say/open.ts';
import {
  codeOfRows,
  countFields,
  needsOf,
  notAllDone,
  notDoneIn,
  type RowCounts,
  rowFacts,
} from '../../say/rows.ts';
import { type Problem, problemOf } from '../../say/told.ts';
import { card } from '../../show/card.ts';
import type { View } from '../../show/display.ts';
import { type Batch, rowReportInputs } from './options.ts';
import { amountLines, batchPlan, planJson } from './plan.ts';
import type { RowsOnChain } from './wait.ts';

/** The progress of a batch in one line. */
export function progressOf(surveyed: Survey, counts: Counts): string {
  const done = counts.accepted + counts.resolved;
  const failed = endedIn(counts) - done - counts.unknown;
  return `${formatCount(done)}/${formatCount(toDo(surveyed))} done, ${formatCount(failed)} failed, ${formatCount(counts.unknown)} unknown`;
}

/** How the rows stand that this run did not end, and why the journal did not say it. */
export type OtherRows = { readonly counts: RowCounts; readonly failure?: Failure };

export type FinishedRun = RunEnd & {
  readonly unverified: UnverifiedRows;
  readonly others: OtherRows;
  /** What the chain says about the accepted rows, if the batch waited for it. */
  readonly chain?: RowsOnChain | undefined;
};

/** Asks the journal about the rows to which a stop left no time. Another process may have sent them. */
export async function othersAtEnd(
  { counts }: RunEnd,
  surveyed: Survey,
  { order, sheet, bot }: Batch,
  journal: Journal,
): Promise<OtherRows> {
  const left = toDo(surveyed) - endedIn(counts);
  if (left === 0) return { counts: {} };
  try {
    return { counts: Object.fromEntries(await lookAgain({ order, sheet, bot, journal })) };
  } catch (thrown) {
    // This run's own results must be reported all the same.
    return { counts: { untold: left }, failure: asFailure(thrown) };
  }
}

function endedIn(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function toDo({ rows, tally }: Survey): number {
  const { done, invalid } = tally.standings;
  return rows - done - invalid;
}

/** Says how the batch ended, and how to go on. */
export async function tellEnd(
  surveyed: Survey,
  run: FinishedRun,
  report: string | undefined,
  batch: Batch,
): Promise<Exit> {
  const { display } = batch.context;
  if (run.others.failure === undefined) await tellQuietResults(batch);
  const unsure = run.chain?.unsure ?? run.unverified.repeated;
  if (unsure > 0) display.warn(repeatedWords(unsure));
  if (!display.quiet) {
    if (run.chain !== undefined) display.notice(rowsOnChain(run.chain));
    if (run.unverified.duplicates > 0) display.notice(knownKeyNote(run.unverified.duplicates));
  }
  const stop = stopOf(run.stop, run.others);
  const notDone = notDoneIn(rowsAtEnd(surveyed, run));
  const problem = await problemOfEnd(surveyed, run, stop, notDone, batch);
  const view = endView(surveyed, run, { stop, notDone, report }, batch);
  if (problem === undefined) {
    await display.show(view);
    return 0;
  }
  if (display.face === 'human') await display.show(view);
  await display.fail(problem, { ...view.json, error: problem });
  return exitOf(problem.code);
}

function rowsAtEnd({ tally }: Survey, { counts, others }: FinishedRun): RowCounts {
  const rows: Record<string, number> = { ...counts, invalid: tally.standings.invalid };
  for (const [state, count = 0] of Object.entries(others.counts)) rows[state] = (rows[state] ?? 0) + count;
  return rows;
}

/** Rows that are not done come before what is not sure about the others. */
async function problemOfEnd(
  surveyed: Survey,
  { needs: own, chain, others }: FinishedRun,
  stop: Stop | undefined,
  notDone: RowCounts,
  batch: Batch,
): Promise<Problem | undefined> {
  const { contradicted: against = 0, paidAgain: twice = 0, undecided: open = 0 } = chain ?? {};
  if (Object.keys(notDone).length === 0)
    return chain !== undefined && against + twice + open > 0
      ? problemOf(someUnproven(chain, 'of-batch'))
      : undefined;
  const { unfinished, elsewhere, invalid } = surveyed.tally.standings;
  const needs = new Set([...own, ...needsOf({ ...others.counts, invalid })]);
  if (against + twice > 0) needs.add('decide');
  // A stop left these no time: the same command sends them again.
  if (open > 0 || (stop !== undefined && needsOf(others.counts).has('after-fix'))) needs.add('same-command');
  const mayBeInDoubt =
    notDone.unknown !== undefined ||
    notDone.sending !== undefined ||
    (others.failure !== undefined && unfinished + elsewhere > 0);
  const hasBegun = claimedBy(batch.context.interrupts) !== undefined;
  const code = (mayBeInDoubt ? undefined : faultOfJournal(stop, hasBegun)) ?? codeOfEnd(needs, stop);
  const running = { name: batch.order.name, again: again(batch.given) };
  return problemOf(notAllDone(code, notDone, needs, stop, running));
}

/** If the journal was away at first and now needs fixing, the later failure counts. */
function stopOf(own: Stop | undefined, { failure }: OtherRows): Stop | undefined {
  const untold: Stop | undefined = failure && { because: 'failure', failure };
  return faultOfJournal(untold) === undefined ? (own ?? untold) : untold;
}

/** A failure of the journal that must be fixed; an outage counts only if no row was begun. */
function faultOfJournal(stop: Stop | undefined, hasBegun = true): FailureCode | undefined {
  if (stop?.because !== 'failure') return undefined;
  const { code } = stop.failure;
  const counts = retryOf(code) === 'after-fix' || !hasBegun;
  return code.startsWith('journal-') && counts ? code : undefined;
}

function codeOfEnd(needs: ReadonlySet<Retry>, stop: Stop | undefined): FailureCode {
  const code = codeOfRows(needs) ?? 'not-all-done';
  const isStopped = code === 'not-all-done' && stop !== undefined && needsFixing(stop);
  return isStopped || stop?.because === 'policy' ? 'stopped' : code;
}

function needsFixing(stop: Stop): boolean {
  if (stop.because === 'failure') return retryOf(stop.failure.code) === 'after-fix';
  return stop.because === 'token' || stop.because === 'balance' || stop.because === 'certificate';
}

type Ended = {
  readonly stop: Stop | undefined;
  readonly notDone: RowCounts;
  readonly report: string | undefined;
};

function endView(
  surveyed: Survey,
  { counts, doneElsewhere, unverified, others }: FinishedRun,
  { stop, notDone, report }: Ended,
  batch: Batch,
): View {
  const { given, order, journal } = batch;
  const { done: before } = surveyed.tally.standings;
  const isDone = Object.keys(notDone).length === 0;
  const now = counts.accepted + counts.resolved - doneElsewhere;
  const byOthers = doneElsewhere + (others.counts.accepted ?? 0) + (others.counts.resolved ?? 0);
  const done = now + before + byOthers;
  const result = {
    done,
    done_now: now,
    done_before: before,
    done_by_others: journal?.isShared === true || byOthers > 0 ? byOthers : undefined,
    unverified: unverified.rows === 0 ? undefined : unverified.rows,
    ...countFields(notDone),
  };
  const stopped = isDone && stop?.because === 'others-at-work' ? undefined : stop?.because;
  const shares = `${counted(now, 'row')} by this process, ${counted(byOthers, 'row')} by others`;
  return card(
    given.command,
    ({ paint }) => {
      const mark = isDone ? paint.green('✔') : paint.yellow('•');
      const earlier = before === 0 ? '' : `, ${formatCount(before)} of them earlier`;
      const says = `Batch ${order.name}: ${formatCount(done)} of ${formatCount(surveyed.rows)} accepted${earlier}`;
      return `${mark} ${paint.bold(says)}\n`;
    },
    [
      ['Plan', undefined, planJson(batchPlan(surveyed, batch))],
      ['Shares', byOthers === 0 ? undefined : shares, { result }],
      ...(isDone ? amountLines(surveyed) : []),
      ...rowFacts(notDone),
      ['Stopped', undefined, { stopped }],
      ['Report', report, { report }],
    ],
  );
}

/** With --quiet a line for each row in input order: its message id or signature, or nothing. */
async function tellQuietResults(batch: Batch): Promise<void> {
  const { display } = batch.context;
  if (!display.quiet || display.face === 'json') return;
  for await (const { result = '' } of reportRows(rowReportInputs(batch))) {
    await display.show({ json: {}, human: () => '', quiet: result });
  }
}

/** For the end of a batch: what the chain says about its accepted rows. */
function rowsOnChain({ proven, contradicted, paidAgain: again, undecided: open }: RowsOnChain): string {
  const more = again === 0 ? '' : `${again} paid more than once, `;
  return `On the chain: ${proven} proven, ${contradicted} contradicted, ${more}${open} undecided.`;
}
