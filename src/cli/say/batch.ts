import type { EqualRow, EqualRows } from '../../batch/sheet.ts';
import { type Failure, told } from '../../once/failures.ts';
import type { Wanted } from '../../once/intent/wanted.ts';
import type { Intent } from '../../once/journal/journal.ts';
import { counted, formatAmountOf, formatCount } from '../../once/phrases.ts';
import { isItTheRightFile, type Suggestion } from '../../once/says.ts';
import { takenBy } from './intent.ts';
import { equalWords } from './outcomes.ts';
import { notSentNow } from './told.ts';

/** How many rows would pay what another entry has paid. */
export function rowsPaidAlready({ rows, inDoubt }: EqualRows): string {
  const verb = rows === 1 ? 'was' : 'were';
  const doubt = inDoubt === 0 || inDoubt === rows ? '' : ` (${formatCount(inDoubt)} of them perhaps)`;
  const paid = inDoubt === rows ? 'may have been paid' : `${verb} paid`;
  return `${counted(rows, 'row')} ${paid} already under another entry${doubt}`;
}

/** One of them, with what its columns `name` and `note` say. */
export function equalRowWords(row: EqualRow, forWhom: string | undefined, nowMs: number): string {
  const { line, id, request, equal } = row;
  const which = [...(id === undefined ? [] : [`id ${id}`]), ...(forWhom === undefined ? [] : [forWhom])];
  const named = which.length === 0 ? '' : ` (${which.join(', ')})`;
  const pays = formatAmountOf(request.amount, request.asset);
  return `line ${line}${named}: ${pays} to ${request.to_address}. ${equalWords(equal, nowMs)}`;
}

export function moreEqualRows({ rows, first }: EqualRows): readonly string[] {
  const left = rows - first.length;
  return left === 0 ? [] : [`… and ${formatCount(left)} more; --report lists them all`];
}

/** Nothing decides for a person here: the options are theirs to add. */
export function paidAlready(equal: EqualRows, next: readonly Suggestion[]): Failure {
  return told('paid-already', { next })`${rowsPaidAlready(equal)}.
    Look at the earlier payments first. If the rows are second payments, --repeat pays them; --skip-repeats leaves out those that were paid.`;
}

export function invalidRow(problem: string | undefined): Failure {
  return told('bad-input')`${problem ?? 'The row is not valid'}. ${notSentNow}
    Fix the row and run the command again.`;
}

/** Why a row is not sent under its ID, which `found` has. */
export function conflictWords(found: Intent, wanted: Wanted, bot: string): string {
  return found.bot === bot ? `the id ${takenBy(found, wanted)}` : 'the id is taken by another bot';
}

export function rowsInConflict(rows: number, of: number, code: 'other-body' | 'other-bot'): Failure {
  return told(
    code,
  )`The ids of ${formatCount(rows)} of the ${counted(of, 'row')} are taken by different requests.
    A row with a new id is sent besides the earlier one. ${isItTheRightFile}`;
}
