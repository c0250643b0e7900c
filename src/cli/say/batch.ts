import type { BatchFacts } from '../../batch/facts.ts';
import type { AlikeGroup, AlikeRows, RepeatedRows } from '../../batch/sheet.ts';
import { ownRepeatDays } from '../../once/engine/plan.ts';
import type { ConflictKind } from '../../once/engine/planKinds.ts';
import type { Wanted } from '../../once/intent/wanted.ts';
import type { EarlierPayment, Intent } from '../../once/journal/journal.ts';
import { clipped, fewOf, takenBy } from './intent.ts';
import { asNamed } from './outcomes.ts';
import {
  counted,
  formatAgo,
  formatAmountOf,
  formatCount,
  formatDuration,
  listed,
  type Suggestion,
  troubleInWords,
} from './phrases.ts';
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

/** `140 of these 200 rows were already paid the same amount, in batch payroll-2026-11, 2 minutes ago`. */
export function rowsPaidAlready(repeats: RepeatedRows, nowMs: number): string {
  const { rows, of, inDoubt, by, names } = repeats;
  const all = of === 2 ? 'Both' : `All ${formatCount(of)}`;
  const some = rows === of ? all : `${formatCount(rows)} of these ${formatCount(of)}`;
  const who = of === 1 ? 'This row' : `${some} rows`;
  const was = rows === 1 ? 'was' : 'were';
  const verb = inDoubt === rows ? 'may have been paid' : `${was} already paid`;
  const doubt = inDoubt === 0 || inDoubt === rows ? '' : ` (${formatCount(inDoubt)} of them perhaps)`;
  return `${who} ${verb} the same amount${doubt}${byNames(by, names, nowMs)}`;
}

function byNames(by: EarlierPayment | undefined, names: number, nowMs: number): string {
  if (by === undefined) return '';
  const { name, rowId, atMs } = by;
  const isBatch = name !== undefined && rowId !== undefined;
  const most = isBatch ? `in batch ${name}, ${formatAgo(nowMs - atMs)}` : asNamed(by, nowMs);
  return `, ${names === 1 ? most : `${most}, and under ${counted(names - 1, 'other name')}`}`;
}

export function paidAlready(
  repeats: RepeatedRows,
  nowMs: number,
  windowMs: number,
  next: readonly Suggestion[],
): Told {
  const own = repeats.own === 0 ? '' : `, and ${ownRepeatDays} days under this name`;
  return told('paid-already', { next })`${rowsPaidAlready(repeats, nowMs)}.
    botctl looked back ${formatDuration(windowMs)}${own}. ${waysOn(repeats, next)}`;
}

function waysOn({ paidLess }: RepeatedRows, next: readonly Suggestion[]): string {
  if (paidLess.length > 0)
    return 'More rows pay the same than were paid, so --skip-repeats cannot tell which of them are left: move those to a file of their own and pay it with --repeat. Or pay all rows a second time:';
  const skipOrPay = 'skip the rows already paid, or pay them a second time:';
  return next.length === 3
    ? `Run the batch under its earlier name, ${skipOrPay}`
    : skipOrPay.replace('skip', 'Skip');
}

/** After a batch. */
export function rowsSkipped({ rows, by, names }: RepeatedRows): string {
  const more = names > 1 ? ` and ${counted(names - 1, 'other name')}` : '';
  const under = by?.name === undefined ? '' : `, paid as ${by.name}${more}`;
  return `${formatCount(rows)}${under}`;
}

/** Of a batch in which nothing else is left. */
export function skippedInDoubt(inDoubt: number, some: readonly EarlierPayment[]): Told {
  const rows = counted(inDoubt, 'skipped row');
  return told('paid-already', { next: [['history', ...new Set(some.map(({ id }) => id))]] })`
    ${rows} may have been paid already, which is not settled.
    Settle what may have paid them, then run the same command again:`;
}

const mostLines = 8;

function atLines(lines: readonly number[]): string {
  const shown = lines.slice(0, mostLines).map(String);
  const more = lines.length - shown.length;
  return `Lines ${listed(more === 0 ? shown : [...shown, `${formatCount(more)} more`])}`;
}

/** Rows of one file that pay the same. */
export function samePaymentWords({ request, lines }: AlikeGroup): string {
  const { to_address: to, asset, amount } = request;
  return `${atLines(lines)} pay the same: ${formatAmountOf(amount, asset)} to ${to}`;
}

export function moreAlike({ groups, first }: AlikeRows): readonly string[] {
  const left = groups - first.length;
  return left === 0
    ? []
    : [`… and ${counted(left, 'more payment is', 'more payments are')} in the file more than once`];
}

export function invalidRow(problem: string | undefined): Told {
  return told('bad-input')`${problem ?? 'The row is not valid'}. ${notSentNow}
    Fix the row and run the command again.`;
}

/** Why a row is not sent under its ID. */
const conflicts: Readonly<Record<ConflictKind, string>> = {
  'other-body': 'the id is taken by a different amount, recipient or text',
  'other-bot': 'the id is taken by another bot',
  'other-url': 'the id was used at another base URL of this service',
};

/** `found` has the row’s ID. */
export function conflictWords(kind: ConflictKind, found: Intent | undefined, wanted: Wanted): string {
  return kind === 'other-body' && found !== undefined ? `the id ${takenBy(found, wanted)}` : conflicts[kind];
}
