import { type BatchPlan, equalRows, rowsLeft, rowsToPropose } from '../../../batch/plan.ts';
import { formatCount } from '../../../once/phrases.ts';
import type { BalanceShown } from '../../run/balance.ts';
import { jsonView, labelled, remark } from '../../show/card.ts';
import type { Question } from '../../show/display.ts';
import { forWhom } from '../../show/entry.ts';
import { equalJson } from '../../show/report.ts';
import { equalRowWords, paidAlready, rowsPaidAlready } from '../../wording/batch.ts';
import { answeredNo } from '../../wording/problem.ts';
import { type Batch, whichRow } from './options.ts';
import {
  askToBegin,
  balanceAhead,
  drawPlan,
  lineOf,
  type PlanToShow,
  type Refused,
  tooLittleFor,
} from './showPlan.ts';

/** Whether to pay the rows that equal another payment, or skip them. */
type Agreed = { readonly repeats: 'pay' | 'skip' | undefined; readonly balance: BalanceShown | undefined };

/** Asks a person to agree to the plan. If nobody can be asked, the options decide. */
export async function agreeOn(plan: BatchPlan, batch: Batch): Promise<Agreed | Refused> {
  const { app, options, order } = batch;
  const { display } = app;
  const balance = await balanceAhead(plan, batch, options.repeats === 'pay');
  const tooLittle = tooLittleFor(balance);
  if (tooLittle !== undefined) return tooLittle;
  const ahead: PlanToShow = { plan, batch, balance };
  const at = app.args.flag('dry-run') || app.args.flag('yes') ? 'none' : display.terminal();
  // Nothing will be sent, so there is nothing to ask.
  if (plan.closed !== undefined) {
    if (!app.args.flag('dry-run')) display.notice(lineOf(ahead));
    return { repeats: options.repeats, balance };
  }
  const equal = equalRows(plan);
  if (equal.length > 0 && options.repeats === undefined) {
    if (at === 'foreground') return askAboutEqual(ahead);
    const words = listEqual(plan, batch);
    for (const line of words) display.warn(line);
    await tellEqualRows(plan, batch);
    const looks = ['history', ...new Set(equal.slice(0, shownRows).map((row) => row.equal.id))];
    return { failure: paidAlready(equal, [looks]), fields: {} };
  }
  if (equal.length > 0 && options.repeats === 'skip')
    display.notice(`${rowsPaidAlready(equal)}. Those that were paid are left out.`);
  if (app.args.flag('dry-run')) return { repeats: options.repeats, balance };
  const left = rowsLeft(plan);
  if (at === 'none' || left + rowsToPropose(plan).length === 0) display.notice(lineOf(ahead));
  else {
    const question: Question = (canvas) =>
      `${labelled([['Name', order.name]], canvas)}${drawPlan(ahead, canvas)}${askToBegin(ahead)}`;
    if (!(await display.confirm(question))) throw answeredNo();
  }
  return { repeats: options.repeats, balance };
}

const shownRows = 3;

const answers = {
  choices: '[s]kip those / [p]ay them / [N]o: stop',
  words: { s: 'skip', skip: 'skip', p: 'pay', pay: 'pay' },
} as const;

async function askAboutEqual(ahead: PlanToShow): Promise<Agreed | Refused> {
  const { plan, batch } = ahead;
  const listed = [`${rowsPaidAlready(equalRows(plan))}:`, ...listEqual(plan, batch)];
  const question: Question = (canvas) => {
    const remarks = listed.map((words) => remark(words, canvas)).join('');
    return `${drawPlan({ ...ahead, listsEqual: true }, canvas)}${remarks}Pay them a second time?`;
  };
  const answer = await batch.app.display.ask(question, answers);
  if (answer === 'no') throw answeredNo();
  const balance = answer === 'pay' ? await balanceAhead(plan, batch, true) : ahead.balance;
  return tooLittleFor(balance) ?? { repeats: answer, balance };
}

function listEqual(plan: BatchPlan, { journal, app }: Batch): readonly string[] {
  const nowMs = (journal ?? app).clock.now();
  const equal = equalRows(plan);
  const first = equal.slice(0, shownRows).map((row) => equalRowWords(row, forWhom(row), nowMs));
  const left = equal.length - first.length;
  return left === 0 ? first : [...first, `… and ${formatCount(left)} more; --report lists them all`];
}

/** With --json, prints one line for each row that equals another payment. */
export async function tellEqualRows(plan: BatchPlan, { app }: Batch): Promise<void> {
  if (app.display.face !== 'json') return;
  for (const row of equalRows(plan)) {
    const head = { schema: 'botctl/1', command: app.args.command, ...whichRow(row) };
    await app.display.show(jsonView({ ...head, outcome: 'paid-already', ...equalJson(row.equal) }));
  }
}
