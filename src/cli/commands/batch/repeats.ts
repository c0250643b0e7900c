import { areRowsOf } from '../../../batch/report.ts';
import {
  firstInDoubt,
  isPaidAlready,
  noRepeatedRows,
  type PaidLess,
  type RepeatedRow,
  type RepeatedRows,
} from '../../../batch/sheet.ts';
import type { Survey } from '../../../batch/survey.ts';
import { skipRepeats } from '../../../batch/tally.ts';
import { repeatWindowMs } from '../../../once/engine/plan.ts';
import { type Exit, exitOf } from '../../../once/failures.ts';
import {
  moreAlike,
  paidAlready,
  rowsPaidAlready,
  samePaymentWords,
  skippedInDoubt,
} from '../../say/batch.ts';
import { again } from '../../say/open.ts';
import { askToPayAgain, wasPaid } from '../../say/outcomes.ts';
import { formatCount, type Suggestion } from '../../say/phrases.ts';
import { declined, type Problem, problemOf } from '../../say/told.ts';
import { remark } from '../../show/card.ts';
import { isSilent, type LabelCanvas, type Question } from '../../show/display.ts';
import { forWhom } from '../../show/report.ts';
import { type Batch, jsonView, repeatedJson } from './options.ts';
import { batchPlan, drawPlan, planJson, planView, withBalance } from './plan.ts';

const shownGroups = 20;

/** `asked`: a person has seen what will be sent, and agreed. */
type Judged = 'refused' | 'asked' | 'not-asked';

/**
 * Decides about the rows that were paid already: asks where a person is, and goes by a rule elsewhere.
 * Nothing of the answer is kept for the next run.
 */
export async function judgeRepeats(surveyed: Survey, batch: Batch): Promise<Judged> {
  const { given, context, options, sheet } = batch;
  const { repeats, alike, tally } = surveyed;
  const { display } = context;
  const isDry = given.flag('dry-run');
  const asks = !isDry && !given.flag('yes') && display.terminal() === 'foreground';
  // Where a person is asked, and in a dry run, the plan has them.
  if (!asks && !isDry)
    for (const words of [...alike.first.map(samePaymentWords), ...moreAlike(alike)]) display.warn(words);
  if (repeats.rows === 0) return 'not-asked';
  const nowMs = now(batch);
  if (options.repeats === undefined && asks) return askAbout(surveyed, batch);
  if (options.repeats === 'skip') {
    if (repeats.paidLess.length > 0) return 'refused';
    display.notice(
      `${rowsPaidAlready(repeats, nowMs)}. ${repeats.rows === 1 ? 'It is' : 'They are'} skipped.`,
    );
    skipRepeats(surveyed, sheet);
    return 'not-asked';
  }
  if (options.repeats === undefined && isPaidAlready(repeats, tally.standings.conflict)) return 'refused';
  display.warn(
    `${rowsPaidAlready(repeats, nowMs)}. ${repeats.rows === 1 ? 'It is paid' : 'They are paid'} again.`,
  );
  return 'not-asked';
}

function now({ journal, context }: Batch): number {
  return (journal ?? context).clock.now();
}

async function askAbout(surveyed: Survey, batch: Batch): Promise<Judged> {
  const { sheet } = batch;
  const { display } = batch.context;
  const { repeats } = surveyed;
  const [only] = repeats.first;
  const nowMs = now(batch);
  // Said under it, with the rows.
  const plan = { ...(await withBalance(batchPlan(surveyed, batch), batch)), repeats: noRepeatedRows };
  if (repeats.of === 1 && only !== undefined) {
    const listed = forWhom(only) === undefined ? [] : firstOf(repeats, nowMs);
    const question: Question = (canvas) =>
      `${drawPlan(plan, canvas)}${remarks(listed, canvas)}${askToPayAgain(only.request, only.earlier[0], nowMs)}`;
    if (!(await display.confirm(question))) throw declined();
    return 'asked';
  }
  const listed = [`${rowsPaidAlready(repeats, nowMs)}:`, ...firstOf(repeats, nowMs)];
  const question: Question = (canvas) => `${drawPlan(plan, canvas)}${remarks(listed, canvas)}Pay them again?`;
  const answer = await display.ask(question, skipOrPayAnswers);
  if (answer === 'no') throw declined();
  if (answer === 'skip' && repeats.paidLess.length > 0) return 'refused';
  if (answer === 'skip') skipRepeats(surveyed, sheet);
  return 'asked';
}

function remarks(all: readonly string[], canvas: LabelCanvas): string {
  return all.map((words) => remark(words, canvas)).join('');
}

function firstOf(repeats: RepeatedRows, nowMs: number): readonly string[] {
  const rows = repeats.first.map((row) => repeatedRowWords(row, forWhom(row), nowMs));
  return [...rows, ...moreRepeats(repeats), ...repeats.paidLess.slice(0, shownGroups).map(paidLessWords)];
}

/** Ends a batch that sends nothing because it would pay again what was paid already. */
export async function reportPaidAlready(surveyed: Survey, batch: Batch): Promise<Exit> {
  const { context } = batch;
  const { display } = context;
  const { repeats } = surveyed;
  const nowMs = now(batch);
  for (const words of firstOf(repeats, nowMs)) display.warn(words);
  await tellRepeats(batch);
  const told = paidAlready(repeats, nowMs, repeatWindowMs, await suggestions(surveyed, batch));
  const problem = problemOf(told, batch.context.doing);
  await display.fail(problem, { ...planJson(batchPlan(surveyed, batch)), error: problem });
  return exitOf(problem.code);
}

/** The safest first. */
async function suggestions({ repeats }: Survey, batch: Batch): Promise<Suggestion[]> {
  const { given, journal } = batch;
  const earlier = repeats.by?.namedBy === 'row' ? repeats.by.name : undefined;
  const isSame =
    earlier !== undefined && journal !== undefined && (await areRowsOf(earlier, { ...batch, journal }));
  return [
    ...(isSame ? [again(given, ['once'], { name: 'once', value: earlier })] : []),
    ...(repeats.paidLess.length > 0 ? [] : [again(given, [], { name: 'skip-repeats', value: true })]),
    again(given, ['skip-repeats'], { name: 'repeat', value: true }),
  ];
}

/** Skipping is done well only where it is known that what was skipped was paid. */
export function doubtOfSkipped({ tally, repeats }: Survey, { sheet }: Batch): Problem | undefined {
  if (tally.standings.skipped === undefined || repeats.inDoubt === 0) return undefined;
  return problemOf(skippedInDoubt(repeats.inDoubt, firstInDoubt(sheet)));
}

/** Shows what a run would do, and ends as it would. */
export async function tellDryRun(surveyed: Survey, batch: Batch): Promise<Exit> {
  const { display } = batch.context;
  const plan = batchPlan(surveyed, batch);
  const shown = isSilent(display) ? plan : await withBalance(plan, batch);
  for (const warning of shown.balance?.warnings ?? []) display.warn(warning);
  const view = planView(shown);
  const problem = doubtOfSkipped(surveyed, batch);
  if (problem === undefined || display.face === 'human') await display.show(view);
  if (problem === undefined) return 0;
  await display.fail(problem, { ...view.json, error: problem });
  return exitOf(problem.code);
}

/** With --json all of them, each on a line; the report has them too. */
export async function tellRepeats({ given, context, sheet }: Batch): Promise<void> {
  if (context.display.face !== 'json') return;
  for (const page of sheet.repeated())
    for (const row of page) await context.display.show(jsonView(repeatedJson(row, given)));
}

/** One of them, whole, with what its columns `name` and `note` say. */
function repeatedRowWords(
  { line, id, request, earlier: [earlier] }: RepeatedRow,
  forWhom: string | undefined,
  nowMs: number,
): string {
  const which = [...(id === undefined ? [] : [`id ${id}`]), ...(forWhom === undefined ? [] : [forWhom])];
  const row = which.length === 0 ? '' : ` (${which.join(', ')})`;
  return `line ${line}${row}: ${request.to_address} ${wasPaid(request, earlier, nowMs)}`;
}

function moreRepeats({ rows, first }: RepeatedRows): readonly string[] {
  const left = rows - first.length;
  return left === 0 ? [] : [`… and ${formatCount(left)} more; --report lists them all`];
}

const skipOrPayAnswers = {
  shown: '[s]kip those / pay [a]ll / [N]o',
  words: { s: 'skip', skip: 'skip', a: 'pay', all: 'pay' },
} as const;

/** Rows that pay the same, but the same was not paid as often. */
function paidLessWords({ paid, isOwn, ...group }: PaidLess): string {
  const times = paid === 1 ? 'once' : `${formatCount(paid)} times`;
  return `${samePaymentWords(group)}. ${isOwn ? 'Under this name it' : 'It'} was paid ${times}`;
}
