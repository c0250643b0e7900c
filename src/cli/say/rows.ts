import type { Exit, FailureCode } from '../../once/failures.ts';
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

/** What is said of one, and of several. */
type Words = string | readonly [one: string, several: string];

function wordsFor(rows: number, words: Words): string {
  return typeof words === 'string' ? words : words[rows === 1 ? 0 : 1];
}

type RowState = {
  /** Before a run, behind a number: in a line of its own, and in one line with the others. */
  readonly ahead?: { readonly label: string; readonly note?: Words; readonly inALine?: string };
  /** After a run, of those that are not done: as a sentence, and behind a number. */
  readonly left?: { readonly that: Words; readonly note: Words };
  /** According to the journal, behind a number, and how `batch status` then ends. */
  readonly onRecord?: { readonly label: string; readonly note: string; readonly exit: Exit };
};

/** How rows stand, in the order in which they are listed: of those that are not done, what may have happened comes first. */
export const rowStates = {
  new: { ahead: { label: 'To send', inALine: 'to send' } },
  done: {
    ahead: { label: 'Already done', inALine: 'already done' },
    onRecord: { label: 'Done', note: '', exit: 0 },
  },
  unknown: {
    left: {
      that: ['is unknown: it may have happened', 'are unknown: they may have happened'],
      note: ['it may have happened', 'they may have happened'],
    },
    onRecord: { label: 'Unknown', note: ': may have happened; run the batch again', exit: 11 },
  },
  sending: {
    left: {
      that: ['is being sent by another process', 'are being sent by other processes'],
      note: ['another process is sending it', 'other processes are sending them'],
    },
    onRecord: { label: 'Sending', note: ', by a running process', exit: 11 },
  },
  held: {
    ahead: { label: 'Held', note: ': waiting for you to decide; not sent' },
    left: { that: ['is held', 'are held'], note: 'waiting for you to decide' },
    onRecord: { label: 'Held', note: ': waiting for you to decide', exit: 10 },
  },
  elsewhere: {
    ahead: {
      label: 'Elsewhere',
      note: [': another process is sending it', ': another process is sending them'],
      inALine: 'being sent by another process',
    },
  },
  conflict: {
    ahead: {
      label: 'Conflict',
      note: [
        ': its id is taken by a different request, bot or base URL; not sent',
        ': their ids are taken by different requests, bots or base URLs; not sent',
      ],
      inALine: 'in conflict',
    },
  },
  'not-sent': {
    left: {
      that: 'could not be sent',
      note: ['its id or another payment is in the way', 'their ids or other payments are in the way'],
    },
  },
  rejected: {
    left: {
      that: ['was rejected', 'were rejected'],
      note: ['the service rejected it', 'the service rejected them'],
    },
    onRecord: { label: 'Rejected', note: ', by the service', exit: 2 },
  },
  'did-not-happen': { onRecord: { label: 'Not happened', note: ', as an operator decided', exit: 2 } },
  declined: { onRecord: { label: 'Declined', note: ': a person did not approve them', exit: 10 } },
  open: {
    left: { that: ['was not sent', 'were not sent'], note: 'run the same command again' },
    onRecord: { label: 'Not sent', note: '', exit: 11 },
  },
  skipped: {
    ahead: { label: 'Skipped', note: ': paid already; not sent' },
    onRecord: { label: 'Skipped', note: ', paid already', exit: 0 },
  },
  'skipped-in-doubt': {
    onRecord: {
      label: 'In doubt',
      note: ', perhaps paid already; settle that and run the batch again',
      exit: 10,
    },
  },
  invalid: {
    ahead: { label: 'Invalid', note: ': not sent' },
    left: { that: ['is not valid', 'are not valid'], note: ['fix it in the file', 'fix them in the file'] },
    onRecord: { label: 'Invalid', note: ': fix the file and run the batch again', exit: 2 },
  },
  'not-begun': {
    left: { that: ['was not sent', 'were not sent'], note: 'run the same command again' },
    onRecord: { label: 'Not sent', note: ': run the batch again', exit: 11 },
  },
  untold: { left: { that: 'cannot be looked up now', note: 'the journal cannot be read now' } },
} as const satisfies Record<string, RowState>;

const states = Object.entries<RowState>(rowStates);
const stateOf: Readonly<Record<string, RowState>> = rowStates;

/** A line for each state before a run; some have one though they have no rows. */
export function rowsAhead(
  standings: Readonly<Record<string, number>>,
): [label: string, said: string | undefined][] {
  const counts = forPeople(standings);
  return states.flatMap(([state, { ahead }]) => {
    if (ahead === undefined) return [];
    const count = counts[state] ?? 0;
    if (count === 0) return [[ahead.label, ['new', 'done', 'invalid'].includes(state) ? '0' : undefined]];
    return [[ahead.label, `${formatCount(count)}${wordsFor(count, ahead.note ?? '')}`]];
  });
}

/** A line for each state that rows are in according to the journal. */
export function rowsOnRecord(standings: Readonly<Record<string, number>>): [label: string, said: string][] {
  const counts = forPeople(standings);
  return states.flatMap(([state, { onRecord }]) => {
    const count = counts[state] ?? 0;
    return onRecord === undefined || count === 0
      ? []
      : [[onRecord.label, `${formatCount(count)}${onRecord.note}`]];
  });
}

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
    .map(([standing, count]) => `${formatCount(count)} ${stateOf[standing]?.ahead?.inALine ?? standing}`);
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

export const notDoneOutcomes: readonly string[] = states.flatMap(([state, { left }]) =>
  left ? [state] : [],
);

export type NotDone = { readonly outcome: string; readonly rows: number };

export function notDoneForPeople(notDone: readonly NotDone[]): NotDone[] {
  const counts = Object.fromEntries(notDone.map(({ outcome, rows }) => [outcome, rows]));
  return Object.entries(forPeople(counts)).map(([outcome, rows]) => ({ outcome, rows }));
}

export function labelOf({ outcome }: NotDone): string {
  return asWords(outcome).replace(/^./u, (first) => first.toUpperCase());
}

export function meaningOf({ outcome, rows }: NotDone): string {
  return `${formatCount(rows)}: ${wordsFor(rows, stateOf[outcome]?.left?.note ?? outcome)}`;
}

function rowsThat({ outcome, rows }: NotDone): string {
  return `${counted(rows, 'row')} ${wordsFor(rows, stateOf[outcome]?.left?.that ?? outcome)}`;
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
          wrong.map(({ outcome }) => wordsFor(2, stateOf[outcome]?.left?.that ?? outcome)),
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
