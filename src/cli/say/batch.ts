import type { BatchFacts } from '../../batch/facts.ts';
import type { EqualRow, EqualRows } from '../../batch/sheet.ts';
import type { Wanted } from '../../once/intent/wanted.ts';
import type { Intent } from '../../once/journal/journal.ts';
import { takenBy } from './intent.ts';
import { equalWords } from './outcomes.ts';
import { counted, formatAmountOf, formatCount, type Suggestion, troubleInWords } from './phrases.ts';
import {
  isItTheRightFile,
  notSentNow,
  type Sentence,
  says,
  type Table,
  type Told,
  told,
  whenReady,
} from './told.ts';

export const nameAnother = 'Name another file with --report.';

const fixTheFolder =
  'Free some space or fix the folder’s permissions, then run the same command again: it sends only what was not sent.';

function badTemplate(source: string, what: string): Sentence {
  return says`The template ${source} ${what}
    A template is text with placeholders like {{first_name}}, each named after a column of the file.`;
}

function cannotBeWritten({ path, trouble }: BatchFacts['report-not-begun']): string {
  return `The report ${path} cannot be written: ${troubleInWords(trouble)}`;
}

function noReportsPlace(path: string, what: string): Sentence {
  return says`The report ${path} is ${what}. It was left unchanged
    ${nameAnother}`;
}

export const batchTable: Table<BatchFacts> = {
  'not-csv': ({ source, line }) => says`${source}, line ${line}: the quotes of the header do not match
    The first line names the columns. ${isItTheRightFile}`,
  'long-column': ({ source, mostCharacters }) => says`
    ${source}: a column’s name is longer than ${mostCharacters} characters
    The first line names the columns. ${isItTheRightFile}`,
  'too-many-rows': ({ source, mostRows }) => says`${source} has more than ${formatCount(mostRows)} rows
    Divide it into several files, each a batch with a name of its own.`,
  'not-utf8': ({ source, line, encoding }) => says`
    ${source}, line ${line}: the bytes are not UTF-8; the file seems to be ${encoding}
    Save it as “CSV UTF-8”, or convert it with iconv -f ${encoding} -t UTF-8, and run the command with the new file.`,
  workbook: ({ source }) => says`${source} is a workbook of a spreadsheet, not CSV
    Save the sheet as “CSV UTF-8”, and run the command with that file.`,
  'template-brace': ({ source }) => badTemplate(source, 'has {{ or }} that is not a whole {{column}}'),
  'template-column': ({ source, column }) =>
    badTemplate(source, `names {{${column}}}, which cannot be put into a text`),
  interrupted: () => says`Interrupted while the input was being read
    ${whenReady}`,
  'report-link': ({ path }) => noReportsPlace(path, 'a link'),
  'report-of-other': ({ path }) => says`
    ${path} is there already, and is not a report of this batch. It was left unchanged
    ${nameAnother}`,
  'report-not-a-file': ({ path }) => noReportsPlace(path, 'not a regular file'),
  'report-not-begun': (facts) => ({ message: cannotBeWritten(facts), hint: fixTheFolder }),
  'report-not-finished': (facts) => says`${cannotBeWritten(facts)}. What was sent is in the journal.
    ${fixTheFolder}`,
};

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
export function paidAlready(equal: EqualRows, next: readonly Suggestion[]): Told {
  return told('paid-already', { next })`${rowsPaidAlready(equal)}.
    Look at the earlier payments first. If the rows are second payments, --repeat pays them; --skip-repeats leaves out those that were paid.`;
}

export function invalidRow(problem: string | undefined): Told {
  return told('bad-input')`${problem ?? 'The row is not valid'}. ${notSentNow}
    Fix the row and run the command again.`;
}

/** Why a row is not sent under its ID, which `found` has. */
export function conflictWords(found: Intent, wanted: Wanted, bot: string): string {
  return found.bot === bot ? `the id ${takenBy(found, wanted)}` : 'the id is taken by another bot';
}

export function rowsInConflict(rows: number, of: number, code: 'other-body' | 'other-bot'): Told {
  return told(
    code,
  )`The ids of ${formatCount(rows)} of the ${counted(of, 'row')} are taken by different requests.
    A row with a new id is sent besides the earlier one. ${isItTheRightFile}`;
}
