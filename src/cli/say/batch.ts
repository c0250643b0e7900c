import type { BatchFacts } from '../../batch/facts.ts';
import type { EqualRow, EqualRows } from '../../batch/sheet.ts';
import type { Wanted } from '../../once/intent/wanted.ts';
import type { Intent } from '../../once/journal/journal.ts';
import { clipped, fewOf, takenBy } from './intent.ts';
import { equalWords } from './outcomes.ts';
import { counted, formatAmountOf, formatCount, listed, type Suggestion, troubleInWords } from './phrases.ts';
import { notSentNow, type Sentence, says, type Table, type Told, told, whenReady } from './told.ts';

export const nameAnother = 'Name another file with --report.';

export const isItTheRightFile = 'Is it the right file?';

const fixTheFolder =
  'Free some space or fix the folder’s permissions, then run the same command again: it sends only what was not sent.';

const andMore = (count: number): string => `and ${count} more`;

/** The first few columns as the file has them. */
function quoted(columns: readonly string[]): string {
  const shown = columns.map((column) => JSON.stringify(clipped(column)));
  return fewOf(shown, ', ', andMore);
}

function badTemplate(source: string, what: string): Sentence {
  return says`The template ${source} ${what}
    A template is text with placeholders like {{first_name}}, each named after a column of the file.`;
}

function headerFaults({ unknown, twice, missing }: BatchFacts['bad-header']): string {
  const faults = [
    unknown.length === 0 ? '' : `has unknown columns: ${quoted(unknown)}`,
    twice.length === 0 ? '' : `names columns twice: ${fewOf(twice.map(quoted), '; ', andMore)}`,
    missing.length === 0 ? '' : `lacks: ${quoted(missing)}`,
  ];
  return faults.filter((fault) => fault !== '').join('; it ');
}

function alikeWords({ twice }: BatchFacts['bad-header']): string {
  const isSpelledAlike = twice.every((titles) => new Set(titles).size === 1);
  return isSpelledAlike ? '' : ' Case does not matter, and a space, - and _ are the same.';
}

function cannotBeWritten({ path, trouble }: BatchFacts['report-not-begun']): string {
  return `The report ${path} cannot be written: ${troubleInWords(trouble)}`;
}

function noReportsPlace(path: string, what: string): Sentence {
  return says`The report ${path} is ${what}. It was left unchanged
    ${nameAnother}`;
}

export const batchTable: Table<BatchFacts> = {
  'no-header': ({ source, known }) => says`${source} is empty: it has no header
    Its first line names the columns: ${known.join(',')}.`,
  'bad-header': (facts) => says`${facts.source}, line 1: the header ${headerFaults(facts)}
    The header may name ${facts.known.join(',')}, separated by commas (or semicolons, or tabs); it must name ${listed(facts.needed)}.${alikeWords(facts)}`,
  'filled-column': ({ source, column }) => says`
    ${source}, line 1: the header has the column ${column}, and --${column} is given too
    Leave out the option, or the column.`,
  'not-csv': ({ source, line, what }) => says`
    ${source}${line === undefined ? '' : `, line ${line}`}: this is not CSV (${what})
    Fix the quotes of that row: put a cell with commas, quotes or newlines in quotes, and double each quote in it.`,
  'long-column': ({ source, mostCharacters }) => says`
    ${source}, line 1: a column’s name is longer than ${mostCharacters} characters
    The first line names the columns. ${isItTheRightFile}`,
  'line-too-long': ({ source, line, mostBytes }) => says`
    ${source}, line ${line} is longer than ${mostBytes} bytes
    JSON Lines has one object per line. ${isItTheRightFile}`,
  'not-utf8': ({ source, line }) => says`${source}, line ${line}: the bytes are not valid UTF-8
    Save the file as UTF-8 and run the command again.`,
  'template-brace': ({ source }) => badTemplate(source, 'has {{ or }} that is not a whole {{column}}'),
  'template-column': ({ source, column }) =>
    badTemplate(source, `names {{${column}}}, which cannot be put into a text`),
  'no-such-column': ({ source, column, at: { line, place }, file, columns }) => says`
    The template ${source}, line ${line}, column ${place}, uses {{${column}}}, but ${file} has no such column
    ${file} has the columns ${quoted(columns)}. Use one of them, or add the column to the file.`,
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
