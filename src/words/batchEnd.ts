import type { FailureCode } from '../errors.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Runner } from '../journal/shares.ts';
import type { Refusal } from '../policy/rules.ts';
import type { Trouble } from '../wire/trouble.ts';
import { counted, formatCount, listed } from './list.ts';
import { policyWords } from './policy.ts';
import { stillAtWork, waitingForRunners } from './sharedBatch.ts';
import type { Suggestion } from './suggestion.ts';
import { formatDuration } from './time.ts';
import { Told, type ToldDetails } from './told.ts';
import { adviceOn, troubleWords } from './trouble.ts';

/** How far a batch is, in one line. Times are absent where nothing has ended yet, or nothing is waited for. */
type Progress = {
  readonly done: number;
  readonly todo: number;
  readonly failed: number;
  readonly unknown: number;
  readonly perS: number;
  readonly leftMs: number | undefined;
  readonly quietMs: number | undefined;
  /** Rows that were given to other runners, and whom this one waits for. */
  readonly others?: number;
  readonly waitingFor?: readonly Runner[];
};

export function progressOf(progress: Progress): string {
  const { done, todo, failed, unknown, perS, leftMs, quietMs, others = 0, waitingFor = [] } = progress;
  const parts = [
    `${formatCount(done)}/${formatCount(todo)} done`,
    `${formatCount(failed)} failed`,
    `${formatCount(unknown)} unknown`,
    `${perS < 10 ? perS.toFixed(1) : formatCount(Math.round(perS))} rows/s`,
    // Nothing of its own is left: how long the others take is not known.
    leftMs === undefined || waitingFor.length > 0 ? '' : `${formatDuration(leftMs)} left`,
    quietMs === undefined ? '' : `rate limited: waiting ${formatDuration(quietMs)}`,
    others === 0 ? '' : `${formatCount(others)} given to other runners`,
    waitingFor.length === 0 ? '' : waitingForRunners(waitingFor),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

type Verbs = readonly [one: string, several: string];

/** Rows that are not done, in the order in which they are said: what may have happened comes first. */
const notDoneWords: Readonly<Record<string, { readonly verbs: Verbs; readonly meaning: Verbs }>> = {
  unknown: {
    verbs: ['is unknown: it may have happened', 'are unknown: they may have happened'],
    meaning: ['it may have happened', 'they may have happened'],
  },
  sending: {
    verbs: ['is being sent by another process', 'are being sent by other processes'],
    meaning: ['another process is sending it', 'other processes are sending them'],
  },
  held: { verbs: ['is held', 'are held'], meaning: ['a person must decide', 'a person must decide'] },
  'not-sent': {
    verbs: ['was not sent', 'were not sent'],
    meaning: [
      'its id, or another payment, stands in the way',
      'their ids, or other payments, stand in the way',
    ],
  },
  rejected: {
    verbs: ['was rejected', 'were rejected'],
    meaning: ['the service rejected it', 'the service rejected them'],
  },
  open: { verbs: ['is open', 'are open'], meaning: ['not done yet', 'not done yet'] },
  invalid: {
    verbs: ['is not valid', 'are not valid'],
    meaning: ['fix it in the file', 'fix them in the file'],
  },
  'not-begun': {
    verbs: ['was not begun', 'were not begun'],
    meaning: ['run the same command again', 'run the same command again'],
  },
  untold: {
    verbs: ['cannot be looked up now', 'cannot be looked up now'],
    meaning: ['the journal cannot be asked about it', 'the journal cannot be asked about them'],
  },
};

export const notDoneOutcomes: readonly string[] = Object.keys(notDoneWords);

export type NotDone = { readonly outcome: string; readonly rows: number };

export function labelOf({ outcome }: NotDone): string {
  return `${outcome.charAt(0).toUpperCase()}${outcome.slice(1).replaceAll('-', ' ')}`;
}

export function meaningOf({ outcome, rows }: NotDone): string {
  return `${formatCount(rows)}: ${notDoneWords[outcome]?.meaning[rows === 1 ? 0 : 1] ?? outcome}`;
}

function rowsThat({ outcome, rows }: NotDone): string {
  return `${counted(rows, 'row')} ${notDoneWords[outcome]?.verbs[rows === 1 ? 0 : 1] ?? outcome}`;
}

/** Why no new rows were begun. */
export type StopWords =
  | { readonly because: 'token'; readonly status: number }
  | { readonly because: 'balance' | 'interrupted' }
  | { readonly because: 'policy'; readonly refusal: Refusal }
  | { readonly because: 'certificate'; readonly trouble: Trouble }
  | { readonly because: 'service-down' | 'held'; readonly rows: number }
  | { readonly because: 'max-failures'; readonly failures: number }
  | { readonly because: 'others-at-work'; readonly runners: readonly Runner[] }
  | { readonly because: 'failure'; readonly failure: Told };

const soNoMore = 'so no new rows were begun.';

function reasonFor(stop: StopWords): string {
  switch (stop.because) {
    case 'token':
      return `The service refuses the bot (status ${stop.status}), ${soNoMore}`;
    case 'balance':
      return `The wallet’s balance is insufficient (status 402), ${soNoMore}`;
    case 'policy':
      return `${policyWords(stop.refusal).message} No new rows of this asset were begun.`;
    case 'certificate':
      return `The service could not be reached (${troubleWords(stop.trouble)}), ${soNoMore}`;
    case 'service-down':
      return `${theLast(stop.rows)} ended without an answer: the service seems to be down, ${soNoMore}`;
    case 'held':
      return `${theLast(stop.rows)} ended held: the replies do not say what was done, ${soNoMore}`;
    case 'max-failures':
      return `--max-failures was reached (${counted(stop.failures, 'row')} not done), ${soNoMore}`;
    case 'interrupted':
      return 'The batch was interrupted: it waited for the requests in flight, and no new rows were begun.';
    case 'others-at-work':
      return stillAtWork(stop.runners);
    case 'failure':
      return `${stop.failure.message} No new rows were begun.`;
  }
}

function theLast(rows: number): string {
  return rows === 1 ? 'The last row' : `The last ${counted(rows, 'row')}`;
}

const before: Readonly<Record<StopWords['because'], string>> = {
  token: 'Fix the token or its permission.',
  balance: 'Fund the bot’s wallet, fees included.',
  policy: 'Wait until more is free, or have the policy changed by who may do that.',
  certificate: 'Have the server’s certificate put right.',
  'service-down': 'Wait until the service answers.',
  held: 'Check the held rows before anything more is sent.',
  'max-failures': 'See why they are not done.',
  interrupted: '',
  'others-at-work': 'Wait for the other runners.',
  failure: '',
};

/** Rows of which a re-run alone would say the same as now. */
const notHelpedByRunning: readonly string[] = ['not-sent', 'rejected', 'invalid'];

function hintFor(notDone: readonly NotDone[], stop: StopWords | undefined, needs: Needs): string {
  const first = stop === undefined ? toFixFirst(notDone, needs) : beforeRunning(stop);
  const run = 'run the same command again: it does only what is not done, with the same keys.';
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
  return [
    needs.has('decide') ? 'Decide about the held rows: resolve or resume them' : '',
    wrong.length === 0
      ? ''
      : `Fix the rows that ${listed(
          wrong.map(({ outcome }) => notDoneWords[outcome]?.verbs[1] ?? outcome),
          'or',
        )}`,
  ]
    .filter((text) => text !== '')
    .join('. ');
}

function allowanceOf(refusal: Refusal): Pick<ToldDetails, 'allowance'> {
  const { allowance } = policyWords(refusal);
  return allowance === undefined ? {} : { allowance };
}

/** Of the failure that the whole batch ends with. */
function ownOf(code: FailureCode, stop: StopWords | undefined): ToldDetails | undefined {
  return stop?.because === 'failure' && stop.failure.code === code ? stop.failure.details : undefined;
}

type Needs = { has(need: 'after-fix' | 'decide'): boolean };

/** A batch of which something is not done. */
export function notAllDone(
  code: FailureCode,
  notDone: readonly NotDone[],
  stop: StopWords | undefined,
  needs: Needs,
  running: Suggestion,
): Told {
  const why = stop === undefined ? '' : ` ${reasonFor(stop)}`;
  const isHeld = notDone.some(({ outcome }) => outcome === 'held');
  return new Told(code, `${notDone.map(rowsThat).join('; ')}.${why}`, {
    hint: ownOf(code, stop)?.hint ?? hintFor(notDone, stop, needs),
    ...(stop?.because === 'policy' ? allowanceOf(stop.refusal) : {}),
    next: [...(ownOf(code, stop)?.next ?? []), ...(isHeld ? [['history', '--state', 'held']] : []), running],
  });
}

export function batchDone(name: string, done: number, rows: number, before: number): string {
  const earlier = before === 0 ? '' : `, ${formatCount(before)} of them before`;
  return `Batch ${name}: ${formatCount(done)} of ${counted(rows, 'row')} done${earlier}`;
}

export function unverifiedRows(rows: number, kind: Kind): string {
  const what =
    rows === 1
      ? '1 row: accepted under its id; no reply shows that it was done as asked'
      : `${counted(rows, 'row')}: accepted under their ids; no reply shows that they were done as asked`;
  return kind === 'transfer' ? `${what} (the chain can: see botctl help verify)` : what;
}

export const rowsNoLongerListed = 'Further rows are not listed here; --report lists them all.';

export function reportGivenUp(path: string): string {
  return `Interrupted again: the report ${path} was not written.`;
}
