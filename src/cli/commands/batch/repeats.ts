import { type EqualRows, noEqualRows } from '../../../batch/sheet.ts';
import type { Survey } from '../../../batch/survey.ts';
import { type Exit, exitOf } from '../../../once/failures.ts';
import type { Suggestion } from '../../../once/says.ts';
import { equalRowWords, moreEqualRows, paidAlready, rowsPaidAlready } from '../../say/batch.ts';
import { declined, problemOf } from '../../say/told.ts';
import { remark } from '../../show/card.ts';
import type { LabelCanvas, Question } from '../../show/display.ts';
import { equalJson, forWhom } from '../../show/report.ts';
import { type Batch, jsonView, whichRow } from './options.ts';
import { batchPlan, drawPlan, planJson, withBalance } from './plan.ts';

/** What becomes of the rows that are equal to another payment. `isAsked`: a person has seen what will be sent. */
type Judged = { readonly repeats: 'pay' | 'skip' | undefined; readonly isAsked: boolean };

/**
 * Decides about the rows that are equal to a payment that is not the entry of a row of this input: asks where a person
 * is, and goes by the options elsewhere. Without either, nothing is sent.
 */
export async function judgeRepeats(surveyed: Survey, batch: Batch): Promise<Judged | 'refused'> {
  const { given, context, options } = batch;
  const { display } = context;
  const { equal } = surveyed;
  if (equal.rows === 0 || options.repeats === 'pay') return { repeats: options.repeats, isAsked: false };
  if (options.repeats === 'skip') {
    display.notice(`${rowsPaidAlready(equal)}. What was paid is left out.`);
    return { repeats: 'skip', isAsked: false };
  }
  const asks = !given.flag('dry-run') && !given.flag('yes') && display.terminal() === 'foreground';
  return asks ? askAbout(surveyed, batch) : 'refused';
}

function now({ journal, context }: Batch): number {
  return (journal ?? context).clock.now();
}

async function askAbout(surveyed: Survey, batch: Batch): Promise<Judged> {
  const { display } = batch.context;
  const { equal } = surveyed;
  // Said under it, with the rows.
  const besides = { ...surveyed, equal: noEqualRows };
  const plan = await withBalance(batchPlan(besides, batch), batch);
  const listed = [`${rowsPaidAlready(equal)}:`, ...firstOf(equal, now(batch))];
  const question: Question = (canvas) =>
    `${drawPlan(plan, canvas)}${remarks(listed, canvas)}Pay them besides?`;
  const answer = await display.ask(question, answers);
  if (answer === 'no') throw declined();
  return { repeats: answer, isAsked: true };
}

const answers = {
  shown: '[s]kip those / [p]ay them / [N]o: stop',
  words: { s: 'skip', skip: 'skip', p: 'pay', pay: 'pay' },
} as const;

function remarks(all: readonly string[], canvas: LabelCanvas): string {
  return all.map((words) => remark(words, canvas)).join('');
}

function firstOf(equal: EqualRows, nowMs: number): readonly string[] {
  return [...equal.first.map((row) => equalRowWords(row, forWhom(row), nowMs)), ...moreEqualRows(equal)];
}

/** Ends a batch that sends nothing because it would pay again what was paid already. */
export async function reportPaidAlready(surveyed: Survey, batch: Batch): Promise<Exit> {
  const { display } = batch.context;
  const { equal } = surveyed;
  for (const words of firstOf(equal, now(batch))) display.warn(words);
  await tellEqualRows(batch);
  const look: Suggestion = ['history', ...new Set(equal.first.map((row) => row.equal.id))];
  const problem = problemOf(paidAlready(equal, [look]), batch.context.doing);
  await display.fail(problem, { ...planJson(batchPlan(surveyed, batch)), error: problem });
  return exitOf(problem.code);
}

/** With --json all of them, each on a line; the report has them too. */
export async function tellEqualRows({ given, context, sheet }: Batch): Promise<void> {
  if (context.display.face !== 'json') return;
  for (const page of sheet.equals())
    for (const row of page) {
      const head = { schema: 'botctl/1', command: given.command, ...whichRow(row) };
      await context.display.show(jsonView({ ...head, outcome: 'paid-already', ...equalJson(row.equal) }));
    }
}
