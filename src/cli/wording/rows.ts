import type { FileFacts } from '../../batch/read.ts';
import type { RowAhead, RowCounts } from '../../batch/rowState.ts';
import type { Stop } from '../../batch/stopRules.ts';
import { Failure, type FailureCode, failureWith, type Retry } from '../../once/failures.ts';
import { clipped, counted, fewOf, formatCount, listed } from '../../once/phrases.ts';
import { neverTwice, type Sentence, type Suggestion, sentence, withFullStop } from '../../once/sentence.ts';
import { adviceOn, troubleWords } from '../../once/wire/trouble.ts';
import type { Fact, Fields } from '../show/card.ts';
import { again, type CommandLine } from './open.ts';
import { optionWords } from './suggest.ts';

function rowsOf(count: number): string {
  return counted(count, 'row');
}

type InvalidRows = Pick<FileFacts, 'lackingFields' | 'columns' | 'hasCommas' | 'delimiter'> & {
  readonly invalid: number;
  readonly rows: number;
  readonly source: string;
};

/** Skipping rows with a comma in the amount would pay only whole amounts, so then only `--decimal-comma` is offered. */
export function invalidRows(
  { invalid, rows, source, lackingFields, columns, hasCommas, delimiter }: InvalidRows,
  typed: CommandLine,
): Failure {
  const all = invalid === rows;
  const each = rows === 1 ? 'The only row' : `Each of the ${rowsOf(rows)}`;
  const some = all ? each : `${formatCount(invalid)} of ${rowsOf(rows)}`;
  const [field] = lackingFields;
  const skips = !all && !hasCommas;
  const way = hasCommas ? 'decimal-comma' : 'skip-invalid';
  const [offers, resaved] =
    delimiter === ',' ? [skips, 'save it with ; between its cells and '] : [skips || hasCommas, ''];
  const next = field === undefined && offers ? [again(typed, [], { name: way, value: true })] : [];
  const mended = [
    field && `No row has ${listed(lackingFields, 'or')}. ${whichColumn(field, columns)}`,
    hasCommas && `If 1,5 means one and a half in this file, ${resaved}add --decimal-comma.`,
  ].filter((way) => way);
  const fix = `${mended.length > 0 ? 'Otherwise fix' : 'Fix'} ${invalid === 1 ? 'it' : 'them'}`;
  return failureWith('bad-input', { next })`
    ${some} in ${source} ${all || invalid === 1 ? 'is' : 'are'} not valid
    ${[...mended, fix].join(' ')} and run the same command again${skips ? ', or send the others with --skip-invalid' : ''}.`;
}

function whichColumn(field: string, columns: readonly string[]): string {
  if (columns.length === 0) return '';
  return `If the file calls it something else (${shownColumns(columns)}), name the column: --column ${field}=COLUMN.`;
}

type RowWords = {
  /** Follows the number of rows: `3 held`. */
  readonly word: string;
  readonly note?: string;
  /** What must happen before such a row is done; absent if it is. */
  readonly needs?: Retry;
};

/** In the order in which they are listed. */
const rowWords: Readonly<Record<RowAhead, RowWords>> = {
  'to-send': { word: 'to send', needs: 'same-command' },
  done: { word: 'done' },
  unknown: { word: 'unknown', note: 'may have happened; run the batch again', needs: 'same-command' },
  sending: { word: 'being sent', note: 'by another process', needs: 'same-command' },
  waiting: { word: 'waiting for approval', note: 'a person approves or declines it', needs: 'decide' },
  approved: { word: 'approved', note: 'not sent; run the batch again', needs: 'same-command' },
  held: { word: 'held', note: 'a person decides about it', needs: 'decide' },
  taken: { word: 'taken', note: 'another request or bot has the id', needs: 'after-fix' },
  rejected: { word: 'rejected', note: 'by the service', needs: 'after-fix' },
  declined: { word: 'declined', note: 'by a person', needs: 'after-fix' },
  'not-sent': { word: 'not sent', note: 'run the batch again', needs: 'same-command' },
  'paid-already': { word: 'paid by another entry', note: 'look at the other payment first', needs: 'decide' },
  invalid: { word: 'invalid', note: 'fix the file and run the batch again', needs: 'after-fix' },
  unread: { word: 'not known', note: 'the journal cannot be read now', needs: 'same-command' },
};

/** Every state that has rows, with its words. */
function spoken(counts: RowCounts): (RowWords & { state: string; rows: number })[] {
  return (Object.entries(rowWords) as [RowAhead, RowWords][]).flatMap(([state, words]) =>
    counts[state] === 0 ? [] : [{ ...words, state, rows: counts[state] }],
  );
}

/** A line for each state, without advice to run the batch again if the journal is closed. */
export function rowFacts(counts: RowCounts, stop?: Stop): Fact[] {
  const isVain = ({ needs }: RowWords): boolean => isClosing(stop) && needs === 'same-command';
  return spoken(counts).map((one) => [
    one.word.replace(/^./u, (first) => first.toUpperCase()),
    `${formatCount(one.rows)}${one.note === undefined || isVain(one) ? '' : `: ${one.note}`}`,
  ]);
}

function isClosing(stop: Stop | undefined): boolean {
  return stop?.because === 'failure' && stop.failure.code === 'journal-closed';
}

/** `5 of 100 wait for approval` */
export function rowsToApprove(waiting: number, all: number): string {
  return `${formatCount(waiting)} of ${formatCount(all)} ${waiting === 1 ? 'waits' : 'wait'} for approval`;
}

/** `2 to send, 1 invalid` */
export function rowsInALine(counts: RowCounts): string {
  return spoken(counts)
    .map(({ word, rows }) => `${formatCount(rows)} ${word}`)
    .join(', ');
}

/** What must happen before all rows are done. */
export function needsOf(counts: RowCounts): Set<Retry> {
  return new Set(spoken(counts).flatMap(({ needs }) => needs ?? []));
}

/** Rows that a re-run can finish come first, then those that wait for a person, then those that need a fix. */
export function codeOfRows(needs: ReadonlySet<Retry>): FailureCode | undefined {
  if (needs.has('same-command')) return 'not-all-done';
  if (needs.has('decide')) return 'some-held';
  return needs.has('after-fix') ? 'some-to-fix' : undefined;
}

/** The counts as fields of JSON. A count of zero is absent. */
export function countFields(counts: RowCounts): Fields {
  return Object.fromEntries(spoken(counts).map(({ state, rows }) => [state.replaceAll('-', '_'), rows]));
}

function shownColumns(columns: readonly string[]): string {
  return fewOf(
    columns.map((column) => clipped(column)),
    ', ',
    (count) => `and ${count} more`,
  );
}

/** Columns that botctl does not know. */
export function unsentColumns(columns: readonly string[]): string {
  return `${shownColumns(columns)}: with each row, not sent`;
}

const noMore = 'No new rows were started.';

/** Why no new rows were started, and what to do about it. */
function stopWords(stop: Stop): Sentence {
  switch (stop.because) {
    case 'token':
      return sentence`The service refuses the bot’s token (status ${stop.status}). ${noMore}
        Fix the token or its permission.`;
    case 'balance':
      return sentence`The wallet’s balance is too low (status 402). ${noMore}
        Check the amounts. If they are right, add enough to the bot’s wallet for them and the fees.`;
    case 'certificate':
      return sentence`The service could not be reached (${troubleWords(stop.trouble)}). ${noMore}
        ${adviceOn(stop.trouble) ?? 'Have the server’s certificate fixed'}.`;
    case 'failures-in-a-row':
      return sentence`${theLast(stop.rows)} ended without an answer that says what was done. ${noMore}
        Wait until the service answers, and check the rows that are held.`;
    case 'max-failures':
      return sentence`--max-failures was reached (${counted(stop.failures, 'row')} not done). ${noMore}
        Find out why they are not done.`;
    case 'interrupted':
      return sentence`The batch was interrupted: it waited for the requests already sent and started no new rows.`;
    case 'failure': {
      const { message, details } = stop.failure;
      const limited = details.fields && {
        fields: details.fields,
        ...(details.hint && { hint: details.hint }),
      };
      return { message: `${message} ${noMore}`, ...limited };
    }
  }
}

function theLast(rows: number): string {
  return rows === 1 ? 'The last row' : `The last ${counted(rows, 'row')}`;
}

const running = `un the same command again: ${neverTwice}.`;

/** What to do before the rows can be done, if the batch did not stop. */
function toDoFirst(counts: RowCounts, needs: ReadonlySet<Retry>): string {
  const parts = [
    counts.waiting ? 'Approve or decline the rows that wait' : '',
    counts.held ? 'Decide about the held rows: resolve or resume them' : '',
    counts['paid-already']
      ? 'Look at the other payments: a row that was numbered again needs its earlier id; --repeat pays the rows in addition to them'
      : '',
    needs.has('after-fix') ? 'Fix the rows that would end the same way again' : '',
    counts.taken ? 'A row with a new id is sent in addition to the earlier one' : '',
  ];
  return parts.filter((text) => text !== '').join('. ');
}

type EndedBatch = {
  readonly name: string;
  /** The batch's own command. */
  readonly again: Suggestion;
  readonly stop?: Stop | undefined;
};

/** For a batch with rows that are not done. If something stopped it, says what. */
export function notAllDone(
  code: FailureCode,
  counts: RowCounts,
  needs: ReadonlySet<Retry>,
  { name, again, stop }: EndedBatch,
): Failure {
  const notDone = { ...counts, done: 0 };
  const others = { ...notDone, declined: 0, invalid: 0 };
  if (stop === undefined && needsOf(others).size === 0) return doneBut(code, counts, again);
  const why = stop && stopWords(stop);
  const isClosed = isClosing(stop);
  const own =
    stop?.because === 'failure' && (isClosed || stop.failure.code === code) ? stop.failure : undefined;
  const first = why === undefined ? toDoFirst(notDone, needs) : (why.hint ?? '');
  const doubt = notDone.unknown === 0 ? '' : 'The unknown rows may have happened.';
  const said = [`Rows not done: ${rowsInALine(notDone)}.`, doubt, why?.message ?? ''];
  return new Failure(code, said.filter((text) => text !== '').join(' '), {
    hint: own?.details.hint ?? (first === '' ? `R${running}` : `${withFullStop(first)} Then r${running}`),
    ...(why?.fields && { fields: why.fields }),
    ...(isClosed && { retry: 'decide' as const }),
    next: [
      ...(own?.details.next ?? []),
      ...(notDone.waiting ? [approvingRows(name)] : []),
      ...(notDone.held ? [['history', '--state', 'held']] : []),
      ...(isClosed ? [] : [again]),
    ],
  });
}

function approvingRows(name: string): Suggestion {
  const rows = optionWords({ name: 'batch', value: name });
  return { decides: ['approve', ...rows], looks: ['history', ...rows, '--state', 'held'] };
}

/** For a batch that another run would not change. */
function doneBut(code: FailureCode, counts: RowCounts, again: Suggestion): Failure {
  const { declined, invalid, done } = counts;
  const others = done === 0 ? '' : ' All other rows are done.';
  const hints = [
    ...(declined ? ['A declined row stays declined: give a corrected row a new id.'] : []),
    ...(invalid ? ['Fix the rows that are not valid, then run the same command again.'] : []),
  ];
  return new Failure(code, `Rows not done: ${rowsInALine({ ...counts, done: 0 })}.${others}`, {
    hint: hints.join(' '),
    next: [...(declined ? [['history', '--state', 'declined']] : []), ...(invalid ? [again] : [])],
  });
}

export const waitingForOthers = (rows: number): string =>
  `This process has no rows left; waiting for ${counted(rows, 'row')} that another process is sending.`;
