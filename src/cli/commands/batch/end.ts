import { type RowReport, reportRow, reportRows, type UnverifiedRows } from '../../../batch/report.ts';
import { type Counts, lookAgain, type RunEnd } from '../../../batch/runRows.ts';
import { isOver as isSettled, type RowOutcome } from '../../../batch/sheet.ts';
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
import { someUnproven } from '../../say/chain.ts';
import { mayDifferNote, notNotedAsReported } from '../../say/explain.ts';
import { inWords } from '../../say/inWords.ts';
import { again } from '../../say/open.ts';
import { formatCount } from '../../say/phrases.ts';
import { notAllDone, notDoneOutcomes, type StopWords } from '../../say/rows.ts';
import { type Problem, problemOf } from '../../say/told.ts';
import { type Batch, rowReportInputs } from './options.ts';
import { batchPlan } from './plan.ts';
import { doubtOfSkipped } from './repeats.ts';
import { type BatchEnd, batchEndJson, batchEndView } from './telling.ts';
import type { RowsOnChain } from './wait.ts';

/** The progress of a batch in one line. */
export function progressOf(surveyed: Survey, counts: Counts): string {
  const todo = toDo(surveyed);
  const ended = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const done = counts.accepted + counts.resolved;
  const failed = ended - done - counts.unknown;
  return `${formatCount(done)}/${formatCount(todo)} done, ${formatCount(failed)} failed, ${formatCount(counts.unknown)} unknown`;
}

export type FinishedRun = RunEnd & {
  readonly unverified: UnverifiedRows;
  /** What happened to the rows that other runners had in hand; absent if the batch has only one runner. */
  readonly others: OthersEnd | undefined;
  /** What the chain says about the accepted rows, if the batch waited for it. */
  readonly chain?: RowsOnChain | undefined;
};

/** Says how the batch ended, and how to go on. */
export async function tellEnd(
  surveyed: Survey,
  { counts, doneElsewhere, stop: ownStop, needs: left, unverified, others, chain }: FinishedRun,
  report: string | undefined,
  batch: Batch,
): Promise<Exit> {
  const { display } = batch.context;
  const stop = stopOf(ownStop, others);
  if (others?.is !== 'untold') await tellQuietResults(batch);
  const outcomes = new Map<string, number>(Object.entries(counts));
  outcomes.set('invalid', surveyed.tally.standings.invalid);
  const needs = new Set(left);
  if (outcomes.get('invalid') !== 0) needs.add('after-fix');
  if (others !== undefined) countOthers(others, stop, outcomes, needs);
  else if (stop !== undefined) await countUnvisited(batch, outcomes, needs);
  if (chain !== undefined) {
    if (!display.quiet) display.notice(rowsOnChain(chain));
    if (chain.contradicted > 0) needs.add('decide');
    if (chain.undecided > 0) needs.add('same-command');
  }
  const doubt = doubtOfSkipped(surveyed, batch);
  if (doubt !== undefined) needs.add('decide');
  const notDone = notDoneOutcomes.flatMap((outcome) => {
    const rows = outcomes.get(outcome) ?? 0;
    return rows === 0 ? [] : [{ outcome, rows }];
  });
  const byOthers = others === undefined ? 0 : doneElsewhere + doneBy(others);
  const end: BatchEnd = {
    plan: batchPlan(surveyed, batch),
    doneNow: counts.accepted + counts.resolved - (others === undefined ? 0 : doneElsewhere),
    doneBefore: surveyed.tally.standings.done,
    doneByOthers: batch.journal?.isShared === true || byOthers > 0 ? byOthers : undefined,
    unverified: unverified.rows,
    notDone,
    stopped: notDone.length === 0 && stop?.because === 'others-at-work' ? undefined : stop?.because,
    report,
  };
  if (!display.quiet)
    for (const [why, rows] of unverified.mayDiffer) display.notice(mayDifferNote(why, rows));
  if (notDone.length === 0 && chain !== undefined && chain.contradicted + chain.undecided > 0)
    return tellUnproven(chain, end, batch);
  if (notDone.length === 0 && doubt !== undefined) return tellInDoubt(doubt, end, batch);
  if (notDone.length === 0) {
    if ((await display.show(batchEndView(end))) === 'written') await markRowsReported(batch);
    return 0;
  }
  const isInDoubt = ['unknown', 'sending'].some((outcome) => (outcomes.get(outcome) ?? 0) > 0);
  const { unfinished, elsewhere } = surveyed.tally.standings;
  const mayBeInDoubt = isInDoubt || (others?.is === 'untold' && unfinished + elsewhere > 0);
  const hasBegun = claimedBy(batch.context.interrupts) !== undefined;
  const code = (mayBeInDoubt ? undefined : faultOfJournal(stop, hasBegun)) ?? codeOfEnd(needs, stop);
  const problem = problemOf(notAllDone(code, notDone, await stopInWords(stop), needs, again(batch.given)));
  if (display.face === 'human') await display.show(batchEndView(end));
  await display.fail(problem, { ...batchEndJson(end), error: problem });
  await markRowsReported(batch);
  return exitOf(problem.code);
}

/** The failure that stopped the batch, in words. */
async function stopInWords(stop: Stop | undefined): Promise<StopWords | undefined> {
  return stop?.because === 'failure' ? { ...stop, failure: await inWords(stop.failure) } : stop;
}

/** All else is done. */
async function tellInDoubt(problem: Problem, end: BatchEnd, batch: Batch): Promise<Exit> {
  const { display } = batch.context;
  if (display.face === 'human') await display.show(batchEndView(end));
  await display.fail(problem, { ...batchEndJson(end), error: problem });
  await markRowsReported(batch);
  return exitOf(problem.code);
}

async function tellUnproven(chain: RowsOnChain, end: BatchEnd, { context }: Batch): Promise<Exit> {
  const { display } = context;
  const { contradicted: against, undecided: open } = chain;
  const problem = problemOf(someUnproven({ against, toDecide: 0, open }, 'of-batch'));
  if (display.face === 'human') await display.show(batchEndView(end));
  await display.fail(problem, { ...batchEndJson(end), error: problem });
  return exitOf(problem.code);
}

/** If the journal was away at first and now needs fixing, the later failure counts. */
function stopOf(own: Stop | undefined, others: OthersEnd | undefined): Stop | undefined {
  const untold: Stop | undefined =
    others?.is === 'untold' ? { because: 'failure', failure: others.failure } : undefined;
  return faultOfJournal(untold) === undefined ? (own ?? untold) : untold;
}

/** A failure of the journal that must be fixed; an outage counts only if no row was begun. */
function faultOfJournal(stop: Stop | undefined, hasBegun = true): FailureCode | undefined {
  if (stop?.because !== 'failure') return undefined;
  const { code } = stop.failure;
  const counts = retryOf(code) === 'after-fix' || !hasBegun;
  return code.startsWith('journal-') && counts ? code : undefined;
}

/**
 * Marks all rows at once, when the batch has reported how it ended. A shared journal needs no such mark: every transfer
 * in it has a name.
 */
async function markRowsReported({ context, order, bot, journal }: Batch): Promise<void> {
  if (journal?.isShared === true) return;
  const { display } = context;
  try {
    const scope = { baseUrl: bot.baseUrl, kind: order.kind };
    await journal?.commit((tx) => tx.markRowsReported(scope, order.name, journal.clock.now()), {
      unsynced: true,
    });
  } catch (thrown) {
    display.step(notNotedAsReported((await inWords(thrown)).message));
  }
}

/** Rows that a re-run can finish come first, then those that wait for a person, then those that need a fix. */
function codeOfEnd(needs: ReadonlySet<Retry>, stop: Stop | undefined): FailureCode {
  if (stop?.because === 'policy') return 'stopped';
  if (needs.has('same-command')) return stop !== undefined && needsFixing(stop) ? 'stopped' : 'not-all-done';
  return needs.has('decide') ? 'some-held' : 'some-to-fix';
}

function needsFixing(stop: Stop): boolean {
  if (stop.because === 'failure') return retryOf(stop.failure.code) === 'after-fix';
  return stop.because === 'token' || stop.because === 'balance' || stop.because === 'certificate';
}

/** How the rows ended that this runner did not process. */
export type OthersEnd =
  | { readonly is: 'seen'; readonly counts: ReadonlyMap<RowOutcome, number> }
  /** The journal could not be read. */
  | { readonly is: 'untold'; readonly rows: number; readonly failure: Failure };

/** Asks the journal how the rows ended to which a stop left no time. A file is asked too: another process may send from it. */
export async function othersAtEnd(
  { counts }: RunEnd,
  surveyed: Survey,
  batch: Batch,
): Promise<OthersEnd | undefined> {
  const { order, sheet, bot, journal } = batch;
  if (journal === undefined) return undefined;
  const left = toDo(surveyed) - Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (left === 0) return journal.isShared ? { is: 'seen', counts: new Map() } : undefined;
  try {
    return { is: 'seen', counts: await lookAgain({ order, sheet, bot, journal }) };
  } catch (thrown) {
    if (!journal.isShared) return undefined;
    // This runner's own results must be reported all the same.
    return { is: 'untold', rows: left, failure: asFailure(thrown) };
  }
}

function toDo({ rows, tally }: Survey): number {
  const { done, skipped = 0, invalid } = tally.standings;
  return rows - done - skipped - invalid;
}

function doneBy(others: OthersEnd): number {
  if (others.is === 'untold') return 0;
  return (others.counts.get('accepted') ?? 0) + (others.counts.get('resolved') ?? 0);
}

/** Adds what the other runners have not done, and what that needs. After a stop, run the same command first. */
function countOthers(
  others: OthersEnd,
  stop: Stop | undefined,
  outcomes: Map<string, number>,
  needs: Set<Retry>,
): void {
  if (others.is === 'untold') {
    outcomes.set('untold', others.rows);
    needs.add('same-command');
    return;
  }
  for (const [outcome, rows] of others.counts) {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + rows);
    if (outcome === 'accepted' || outcome === 'resolved') continue;
    if (outcome === 'held') needs.add('decide');
    else needs.add(isOver(outcome) && stop === undefined ? 'after-fix' : 'same-command');
  }
}

function isOver(outcome: RowOutcome): boolean {
  return outcome === 'rejected' || outcome === 'not-sent';
}

/** With --quiet a line for each row in input order: its message id or signature, or nothing. */
async function tellQuietResults(batch: Batch): Promise<void> {
  const { display } = batch.context;
  if (!display.quiet || display.face === 'json') return;
  for await (const { result = '' } of reportRows(rowReportInputs(batch))) {
    await display.show({ json: {}, human: () => '', quiet: result });
  }
}

/** Counts the rows that a stop kept from running. A row that may have happened never counts as not started. */
async function countUnvisited(
  batch: Batch,
  counts: Map<RowReport['outcome'], number>,
  needs: Set<Retry>,
): Promise<void> {
  const inputs = rowReportInputs(batch);
  for (const page of batch.sheet.pages()) {
    const unvisited = page.filter(({ outcome, standing }) => outcome === undefined && !isSettled(standing));
    for (const { outcome } of await Promise.all(unvisited.map((row) => reportRow(row, inputs)))) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      needs.add(outcome === 'held' ? 'decide' : 'same-command');
    }
  }
}

/** For the end of a batch: what the chain says about its accepted rows. */
function rowsOnChain({ proven, contradicted, undecided: open }: RowsOnChain): string {
  return `On the chain: ${proven} proven, ${contradicted} contradicted, ${open} undecided.`;
}
