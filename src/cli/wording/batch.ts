import { type EqualRow, paidBy } from '../../batch/plan.ts';
import { addCount } from '../../batch/read.ts';
import { isDone } from '../../once/engine/standing.ts';
import { type Failure, failureWith } from '../../once/failures.ts';
import { counted, formatAmountOf, formatCount, formatDuration } from '../../once/phrases.ts';
import { isItTheRightFile, type Suggestion } from '../../once/sentence.ts';
import type { Fact } from '../show/card.ts';
import { safeLine } from '../show/text.ts';
import { equalWords } from './outcomes.ts';
import { notSentNow } from './problem.ts';

/** How many of these other payments may not have been made. */
export function inDoubtOf(equal: readonly EqualRow[]): number {
  return equal.filter((row) => !isDone(row.equal)).length;
}

/** How many rows were already paid, or may have been, by another entry. */
export function rowsPaidAlready(equal: readonly EqualRow[]): string {
  const inDoubt = inDoubtOf(equal);
  const verb = equal.length === 1 ? 'was' : 'were';
  const doubt = inDoubt === 0 || inDoubt === equal.length ? '' : ` (${formatCount(inDoubt)} of them perhaps)`;
  const paid = inDoubt === equal.length ? 'may have been paid' : `${verb} paid`;
  return `${counted(equal.length, 'row')} ${paid} already under another entry${doubt}`;
}

/** One such row, with its columns `name` and `note`. */
export function equalRowWords(row: EqualRow, forWhom: string | undefined, nowMs: number): string {
  const { line, id, equal } = row;
  const which = [...(id === undefined ? [] : [`id ${id}`]), ...(forWhom === undefined ? [] : [forWhom])];
  const named = which.length === 0 ? '' : ` (${which.join(', ')})`;
  const { amount = '', asset = '', to_address: to } = paidBy(row) ?? {};
  return `line ${line}${named}: ${formatAmountOf(amount, asset)} to ${to}. ${equalWords(equal, nowMs)}`;
}

/** The number of rows that each other payment settled, by its name or ID; undefined: none did. A name may repeat. */
export type PaidAs = readonly (readonly [name: string | undefined, rows: number])[];

function countsIn(paid: PaidAs): [name: string, rows: number][] {
  const counts = new Map<string, number>();
  for (const [name, rows] of paid) if (name !== undefined) addCount(counts, name, rows);
  return [...counts];
}

export function paidAsWords(paid: PaidAs): string[] {
  return countsIn(paid).map(([name, rows]) => `${formatCount(rows)} paid earlier as ${safeLine(name)}`);
}

export function paidAsFacts(paid: PaidAs, now = 0): Fact[] {
  const all = countsIn(paid).map(([name, rows]) => ({ name, rows }));
  if (all.length === 0) return [];
  const own = now === 0 ? [] : [`${formatCount(now)} paid now`];
  return [['Of these', [...own, ...paidAsWords(paid)].join(', '), { paid_as: all }]];
}

/** No command is suggested that pays: a person must add the options. */
export function paidAlready(equal: readonly EqualRow[], next: readonly Suggestion[]): Failure {
  return failureWith('paid-already', { next })`${rowsPaidAlready(equal)}.
    Look at the earlier payments first. If the rows are second payments, --repeat pays them; --skip-repeats leaves out those that were paid.`;
}

export function invalidRow(problem: string | undefined): Failure {
  return failureWith('bad-input')`${problem ?? 'The row is not valid'}. ${notSentNow}
    Fix the row and run the command again.`;
}

/** A paid row with a new id would be paid again. */
export function rowsInConflict(rows: number, of: number, isRenumbered: boolean): Failure {
  const taken = `The ids of ${formatCount(rows)} of the ${counted(of, 'row')} are taken by different requests`;
  if (isRenumbered)
    return failureWith(
      'other-body',
    )`${taken}, and rows of this file have other ids in the journal: the file was numbered again.
      Give its rows their earlier ids: --report lists what was paid under each. For the next file, use as the id a column that stays with the person or the invoice.`;
  return failureWith('other-body')`${taken}.
    A row with a new id is sent in addition to the earlier one. ${isItTheRightFile}`;
}

type Progress = Readonly<Record<'toDo' | 'done' | 'failed' | 'unknown', number>>;

/** Progress in one line: `511/2,000 done, 24/s, 1 min 2 s left, 3 failed`. */
export function progressWords({ toDo, done, failed, unknown }: Progress, runsMs: number): string {
  const ended = done + failed + unknown;
  const perS = runsMs <= 0 ? 0 : ended / (runsMs / 1000);
  const pace =
    perS === 0
      ? ''
      : `, ${perS < 10 ? perS.toFixed(1) : formatCount(Math.round(perS))}/s, ${formatDuration(((toDo - ended) / perS) * 1000)} left`;
  const inDoubt = unknown === 0 ? '' : `, ${formatCount(unknown)} unknown`;
  return `${formatCount(done)}/${formatCount(toDo)} done${pace}, ${formatCount(failed)} failed${inDoubt}`;
}
