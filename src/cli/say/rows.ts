import type { FailureCode } from '../../once/failures.ts';
import type { Runner } from '../../once/journal/journal.ts';
import type { Refusal } from '../../once/policy/policy.ts';
import type { Trouble } from '../../once/wire/trouble.ts';
import { clipped, fewOf } from './intent.ts';
import { again, type GivenWords } from './open.ts';
import { policyWords, processName } from './outcomes.ts';
import {
  asWords,
  counted,
  formatAmountOf,
  formatCount,
  forPeople,
  listed,
  type Suggestion,
} from './phrases.ts';
import { Told, type ToldDetails, told } from './told.ts';
import { adviceOn, troubleWords } from './trouble.ts';

export const nameAnother = 'Name another file with --report.';

export const isItTheRightFile = 'Is it the right file?';

function rowsOf(count: number): string {
  return counted(count, 'row');
}

export const emptySkipped = (rows: number): string => `${formatCount(rows)}, skipped`;

export function moreRowsNotListed(count: number): string {
  return `… and ${formatCount(count)} more; --report lists them all`;
}

export function allRowsValid(source: string, rows: number): string {
  return `${source}: ${rows === 1 ? '1 row, and it is' : `${rowsOf(rows)}, all`} valid`;
}

export function wrongRows(
  code: FailureCode,
  found: { wrong: number; rows: number; source: string; copied: string | undefined },
): Told {
  const { wrong, rows, source, copied = 'With --report, a copy' } = found;
  return told(code)`
    ${formatCount(wrong)} of ${rowsOf(rows)} in ${source} ${wrong === 1 ? 'is' : 'are'} not valid
    ${copied} says what is wrong in each row. Fix the file and check it again.`;
}

/** To skip rows whose amounts have a comma would pay whole amounts alone: only `--decimal-comma` is offered then. */
export function invalidRows(
  { invalid, rows, source }: { invalid: number; rows: number; source: string },
  way: 'skip-invalid' | 'decimal-comma',
  given: GivenWords,
): Told {
  const [all, them] = [invalid === rows, invalid === 1 ? 'it' : 'them'];
  const some =
    rows === 1
      ? 'The only row'
      : all
        ? `Each of the ${rowsOf(rows)}`
        : `${formatCount(invalid)} of ${rowsOf(rows)}`;
  const says = `${some} in ${source} ${all || invalid === 1 ? 'is' : 'are'} not valid`;
  const next = [again(given, [], { name: way, value: true })];
  if (way === 'decimal-comma')
    return told('bad-input', { next })`${says}
      If 1,5 means one and a half in this file, add --decimal-comma; otherwise fix ${them} and run the same command again.`;
  if (all)
    return told('bad-input')`${says}
      Fix ${them} and run the same command again.`;
  return told('bad-input', { next })`${says}
    Fix ${them} and run the same command again, or send the others with --skip-invalid.`;
}

export function askToBegin(name: string, left: number, noun: 'message' | 'transfer', alike: number): string {
  const same = alike === 0 ? '' : `, ${formatCount(alike)} of them the same as others`;
  return `${noun === 'message' ? 'Send' : 'Make'} ${counted(left, noun)} as ${name}${same}?`;
}

/** The states of rows before anything is sent. Each follows a number in a single line. */
const standings: Readonly<Record<string, string>> = {
  new: 'to send',
  done: 'already done',
  elsewhere: 'being sent by another process',
  conflict: 'in conflict',
};

type BatchPlanWords = {
  readonly name: string;
  readonly rows: number;
  readonly standings: Readonly<Record<string, number>>;
  readonly lacking: number;
  readonly emptyRows: number;
  readonly columns: readonly string[];
  /** Absent if no money moves. */
  readonly money?: {
    readonly totals: readonly Total[];
    readonly recipients: number;
    readonly repeated: number;
  };
};

export type Total = { readonly asset: string; readonly all: string; readonly left: string };

/** What will be done, in one line. */
export function batchInALine({
  name,
  rows,
  standings: found,
  lacking,
  emptyRows,
  columns,
  money,
}: BatchPlanWords): string {
  const parts = Object.entries(forPeople(found))
    .filter(([standing, count]) => count > 0 || standing === 'new' || standing === 'invalid')
    .map(([standing, count]) => `${formatCount(count)} ${standings[standing] ?? standing}`);
  const missing = lacking === 0 ? '' : `; ${rowsMissing(lacking)}`;
  const empty = emptyRows === 0 ? '' : `; ${counted(emptyRows, 'empty row')} skipped`;
  const kept = columns.length === 0 ? '' : `; kept, not sent: ${columnsListed(columns)}`;
  return `batch ${name}: ${rowsOf(rows)}: ${parts.join(', ')}${money === undefined ? '' : moneyIn(money)}${missing}${empty}${kept}`;
}

/** Columns that botctl does not know. */
export function keptColumns(columns: readonly string[]): string {
  return `${columnsListed(columns)}: with each row, not sent`;
}

function columnsListed(columns: readonly string[]): string {
  return fewOf(
    columns.map((column) => clipped(column)),
    ', ',
    (count) => `and ${count} more`,
  );
}

function moneyIn({ totals, recipients, repeated }: NonNullable<BatchPlanWords['money']>): string {
  const sums = totals.map(
    ({ asset, all, left }) => `${formatAmountOf(all, asset)}${all === left ? '' : ` (${left} to send)`}`,
  );
  if (sums.length === 0) return '';
  const twice = repeated === 0 ? '' : ` (${ofThem(recipients, repeated)}more than once)`;
  return `; ${sums.join(', ')} to ${counted(recipients, 'recipient')}${twice}`;
}

export function rowsMissing(count: number): string {
  return `${rowsOf(count)} with this name ${count === 1 ? 'is' : 'are'} in the journal but not in this input`;
}

export function totalOf({ asset, all, left }: Total): string {
  return `${formatAmountOf(all, asset)}${all === left ? '' : `, of which ${formatAmountOf(left, asset)} to send`}`;
}

export function recipientsOf(recipients: number, repeated: number): string {
  return `${formatCount(recipients)}${repeated === 0 ? '' : `, ${ofThem(recipients, repeated)}paid more than once`}`;
}

function ofThem(recipients: number, repeated: number): string {
  return recipients === 1 ? '' : `${formatCount(repeated)} of them `;
}

type Verbs = readonly [one: string, several: string];

const notSent: Verbs = ['was not sent', 'were not sent'];
const runAgain: Verbs = ['run the same command again', 'run the same command again'];

/** Rows that are not done, in the order in which they are listed: rows that may have happened come first. */
const notDoneWords: Readonly<Record<string, { readonly verbs: Verbs; readonly meaning: Verbs }>> = {
  unknown: {
    verbs: ['is unknown: it may have happened', 'are unknown: they may have happened'],
    meaning: ['it may have happened', 'they may have happened'],
  },
  sending: {
    verbs: ['is being sent by another process', 'are being sent by other processes'],
    meaning: ['another process is sending it', 'other processes are sending them'],
  },
  held: {
    verbs: ['is held', 'are held'],
    meaning: ['waiting for you to decide', 'waiting for you to decide'],
  },
  'not-sent': {
    verbs: ['could not be sent', 'could not be sent'],
    meaning: ['its id or another payment is in the way', 'their ids or other payments are in the way'],
  },
  rejected: {
    verbs: ['was rejected', 'were rejected'],
    meaning: ['the service rejected it', 'the service rejected them'],
  },
  open: { verbs: notSent, meaning: runAgain },
  invalid: {
    verbs: ['is not valid', 'are not valid'],
    meaning: ['fix it in the file', 'fix them in the file'],
  },
  'not-begun': {
    verbs: notSent,
    meaning: runAgain,
  },
  untold: {
    verbs: ['cannot be looked up now', 'cannot be looked up now'],
    meaning: ['the journal cannot be read now', 'the journal cannot be read now'],
  },
};

export const notDoneOutcomes: readonly string[] = Object.keys(notDoneWords);

export type NotDone = { readonly outcome: string; readonly rows: number };

export function notDoneForPeople(notDone: readonly NotDone[]): NotDone[] {
  const counts = Object.fromEntries(notDone.map(({ outcome, rows }) => [outcome, rows]));
  return Object.entries(forPeople(counts)).map(([outcome, rows]) => ({ outcome, rows }));
}

export function labelOf({ outcome }: NotDone): string {
  return asWords(outcome).replace(/^./u, (first) => first.toUpperCase());
}

export function meaningOf({ outcome, rows }: NotDone): string {
  return `${formatCount(rows)}: ${notDoneWords[outcome]?.meaning[rows === 1 ? 0 : 1] ?? outcome}`;
}

function rowsThat({ outcome, rows }: NotDone): string {
  return `${counted(rows, 'row')} ${notDoneWords[outcome]?.verbs[rows === 1 ? 0 : 1] ?? outcome}`;
}

/** Why no new rows were started. */
export type StopWords =
  | { readonly because: 'token'; readonly status: number }
  | { readonly because: 'balance' | 'interrupted' }
  | { readonly because: 'policy'; readonly refusal: Refusal }
  | { readonly because: 'certificate'; readonly trouble: Trouble }
  | { readonly because: 'service-down' | 'held'; readonly rows: number }
  | { readonly because: 'max-failures'; readonly failures: number }
  | { readonly because: 'others-at-work'; readonly runners: readonly Runner[] }
  | { readonly because: 'failure'; readonly failure: Told };

const soNoMore = 'so no new rows were started.';

function reasonFor(stop: StopWords): string {
  switch (stop.because) {
    case 'token':
      return `The service refuses the bot’s token (status ${stop.status}), ${soNoMore}`;
    case 'balance':
      return `The wallet’s balance is too low (status 402), ${soNoMore}`;
    case 'policy':
      return `${policyWords(stop.refusal).message} No new rows of this asset were started.`;
    case 'certificate':
      return `The service could not be reached (${troubleWords(stop.trouble)}), ${soNoMore}`;
    case 'service-down':
      return `${theLast(stop.rows)} ended without an answer: the service seems to be down, ${soNoMore}`;
    case 'held':
      return `${theLast(stop.rows)} ended held: the replies do not say what was done, ${soNoMore}`;
    case 'max-failures':
      return `--max-failures was reached (${counted(stop.failures, 'row')} not done), ${soNoMore}`;
    case 'interrupted':
      return 'The batch was interrupted: it waited for the requests already sent and started no new rows.';
    case 'others-at-work':
      return stillAtWork(stop.runners);
    case 'failure':
      return `${stop.failure.message} No new rows were started.`;
  }
}

function theLast(rows: number): string {
  return rows === 1 ? 'The last row' : `The last ${counted(rows, 'row')}`;
}

const before: Readonly<Record<StopWords['because'], string>> = {
  token: 'Fix the token or its permission.',
  balance: 'Check the amounts. If they are right, add enough to the bot’s wallet for them and the fees.',
  policy: 'Wait until the limit allows more, or have the policy changed.',
  certificate: 'Have the server’s certificate fixed.',
  'service-down': 'Wait until the service answers.',
  held: 'Check the held rows before anything more is sent.',
  'max-failures': 'Find out why they are not done.',
  interrupted: '',
  'others-at-work': 'Wait for the other processes.',
  failure: '',
};

/** Rows that would end the same way in a re-run. */
const notHelpedByRunning: readonly string[] = ['not-sent', 'rejected', 'invalid'];

function hintFor(notDone: readonly NotDone[], stop: StopWords | undefined, needs: Needs): string {
  const first = stop === undefined ? toFixFirst(notDone, needs) : beforeRunning(stop);
  const run = 'run the same command again: it sends only what was not sent.';
  if (first === '') return `R${run.slice(1)}`;
  return stop === undefined ? `${first}, then ${run}` : `${first} Then ${run}`;
}

function beforeRunning(stop: StopWords): string {
  const advice = stop.because === 'certificate' ? adviceOn(stop.trouble) : undefined;
  return advice === undefined ? before[stop.because] : `${advice}.`;
}

function toFixFirst(notDone: readonly NotDone[], needs: Needs): string {
  const wrong = needs.has('after-fix')
    ? notDone.filter(({ outcome }) => notHelpedByRunning.includes(outcome))
    : [];
  const isNotSent = wrong.some(({ outcome }) => outcome === 'not-sent');
  const separate = isNotSent ? ' (a row with a new id is sent besides the earlier one)' : '';
  return [
    needs.has('decide') ? 'Decide about the held rows: resolve or resume them' : '',
    wrong.length === 0
      ? ''
      : `Fix the rows that ${listed(
          wrong.map(({ outcome }) => notDoneWords[outcome]?.verbs[1] ?? outcome),
          'or',
        )}${separate}`,
  ]
    .filter((text) => text !== '')
    .join('. ');
}

function allowanceOf(refusal: Refusal): Pick<ToldDetails, 'allowance'> {
  const { allowance } = policyWords(refusal);
  return allowance === undefined ? {} : { allowance };
}

/** The details of the failure that the whole batch ends with. */
function ownOf(code: FailureCode, stop: StopWords | undefined): ToldDetails | undefined {
  return stop?.because === 'failure' && stop.failure.code === code ? stop.failure.details : undefined;
}

type Needs = { has(need: 'after-fix' | 'decide'): boolean };

/** A batch with rows that are not done. */
export function notAllDone(
  code: FailureCode,
  notDone: readonly NotDone[],
  stop: StopWords | undefined,
  needs: Needs,
  running: Suggestion,
): Told {
  const why = stop === undefined ? '' : ` ${reasonFor(stop)}`;
  const isHeld = notDone.some(({ outcome }) => outcome === 'held');
  return new Told(code, `${notDoneForPeople(notDone).map(rowsThat).join('; ')}.${why}`, {
    hint: ownOf(code, stop)?.hint ?? hintFor(notDone, stop, needs),
    ...(stop?.because === 'policy' ? allowanceOf(stop.refusal) : {}),
    next: [...(ownOf(code, stop)?.next ?? []), ...(isHeld ? [['history', '--state', 'held']] : []), running],
  });
}

export function batchDone(name: string, done: number, rows: number, before: number): string {
  const earlier = before === 0 ? '' : `, ${formatCount(before)} of them earlier`;
  return `Batch ${name}: ${formatCount(done)} of ${formatCount(rows)} accepted${earlier}`;
}

export const rowsNoLongerListed = 'Further rows are not listed here; --report lists them all.';

export function reportGivenUp(path: string): string {
  return `Interrupted again: the report ${path} was not written.`;
}

/** A policy refuses rows of a batch. None of it is sent, so that a batch never stops halfway at a known limit. */
export function refusedRows(
  { refused, rows, source }: { readonly refused: number; readonly rows: number; readonly source: string },
  refusal: Refusal,
  code: FailureCode,
): Told {
  const { message, hint = '', allowance, next = [] } = policyWords(refusal);
  return new Told(
    code,
    `A policy refuses ${refused} of the ${counted(rows, 'row')} in ${source}. The first: ${message}`,
    { hint, next, ...(allowance === undefined ? {} : { allowance }) },
  );
}

function withRows(runner: Runner): string {
  // The runner may have done some of its rows already.
  return `${processName(runner)}: up to ${counted(runner.rows, 'row')}`;
}

export const ownShareDone = (runners: readonly Runner[]): string =>
  `This process has no rows left; waiting for ${runners.map(withRows).join(', ')}.`;

function stillAtWork(runners: readonly Runner[]): string {
  return `Others are still at work after --max-wait (${runners.map(withRows).join(', ')}).`;
}

export function sharesOf(doneNow: number, doneByOthers: number): string {
  return `${counted(doneNow, 'row')} by this process, ${counted(doneByOthers, 'row')} by others`;
}
