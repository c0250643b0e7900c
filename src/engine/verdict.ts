import type { Kind } from '../intent/wanted.ts';
import type { Verdict } from '../journal/journal.ts';
import type { Flight } from '../wire/flight.ts';
import type { Reading } from '../wire/reading.ts';

/** All that one attempt is judged by. */
export type Evidence = {
  readonly kind: Kind;
  readonly flight: Flight;
  /** The reply as it reads; absent where none came. */
  readonly reading: Reading | undefined;
  readonly tainted: boolean;
  /** A named intent of which nothing but this attempt has been heard in this journal. */
  readonly firstHeardOfName: boolean;
};

export type Next =
  /** The intent has its outcome. */
  | 'done'
  /** Try again after a while, if tries and time are left. */
  | 'try-again'
  /** Trying again now would tell nothing new. */
  | 'stop';

export type Judgement = {
  readonly verdict: Verdict;
  readonly next: Next;
  /** When tries end with this judgement an operator must decide. */
  readonly heldAtEnd?: true;
  readonly duplicate?: true;
  readonly unverified?: true;
  /** Why it is held, where it is. */
  readonly why?: HeldReason;
};

export type HeldReason =
  | 'failed-status'
  | 'no-proof'
  | 'rejected-after-doubt'
  | 'conflict'
  | 'conflict-in-flight'
  | 'key-age'
  | 'clock'
  | 'other-token';

export type VerdictRow = {
  readonly came: string;
  readonly matches: (evidence: Evidence) => boolean;
  readonly untainted: Judgement;
  readonly tainted: Judgement;
};

const accepted: Judgement = { verdict: 'accepted', next: 'done' };
const duplicate: Judgement = { verdict: 'accepted', next: 'done', duplicate: true };
const rejected: Judgement = { verdict: 'rejected', next: 'done' };
const unknownTryAgain: Judgement = { verdict: 'unknown', next: 'try-again' };
const unknownStop: Judgement = { verdict: 'unknown', next: 'stop' };
const held = (why: HeldReason): Judgement => ({ verdict: 'held', next: 'done', why });
const same = (judgement: Judgement) => ({ untainted: judgement, tainted: judgement });

const statusOf = ({ flight }: Evidence): number => (flight.came === 'reply' ? flight.status : 0);
const isSuccess = (evidence: Evidence): boolean => statusOf(evidence) >= 200 && statusOf(evidence) <= 299;
const isStatus =
  (...statuses: readonly number[]) =>
  (evidence: Evidence): boolean =>
    statuses.includes(statusOf(evidence));

const nonEmptyString = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function provesItHappened({ kind, reading }: Evidence): boolean {
  const json = reading?.json;
  if (json === undefined || (json.error !== undefined && json.error !== null)) return false;
  return kind === 'message'
    ? isObject(json.message)
    : nonEmptyString(json.transfer_id) || nonEmptyString(json.signature);
}

const failedStatus = /fail|reject|cancel|expire|error|decline/iu;

function saysItFailed({ kind, reading }: Evidence): boolean {
  const status = reading?.json?.status;
  return kind === 'transfer' && typeof status === 'string' && failedStatus.test(status);
}

// Where botctl itself stopped reading a reply that says no, its status line is proof enough.
function wasBrokenOff(evidence: Evidence): boolean {
  const { flight } = evidence;
  if (flight.came === 'nothing') return flight.upgraded !== true;
  if (flight.ended === 'too-long') return isSuccess(evidence);
  return flight.ended === 'broken';
}

/** What one attempt proves. First match, top to bottom. */
export const verdictTable: readonly VerdictRow[] = [
  {
    came: 'DNS, refused, connect timeout, TLS failure: headers never went out',
    matches: ({ flight }) => flight.came === 'nothing' && !flight.headersSent,
    untainted: { verdict: 'unsent', next: 'try-again' },
    tainted: unknownTryAgain,
  },
  {
    came: 'reset, timeout, abort, body broken off after headers went out',
    matches: wasBrokenOff,
    ...same(unknownTryAgain),
  },
  {
    came: '2xx of a transfer whose status says it failed',
    matches: (evidence) => isSuccess(evidence) && provesItHappened(evidence) && saysItFailed(evidence),
    ...same(held('failed-status')),
  },
  {
    came: '2xx that shows a message, or a transfer id or signature',
    matches: (evidence) => isSuccess(evidence) && provesItHappened(evidence),
    ...same(accepted),
  },
  { came: 'any other whole 2xx', matches: isSuccess, ...same(held('no-proof')) },
  {
    came: '303, 1xx as final',
    matches: (evidence) => statusOf(evidence) < 200 || statusOf(evidence) === 303,
    ...same(unknownStop),
  },
  {
    came: '401 403',
    matches: isStatus(401, 403),
    untainted: rejected,
    tainted: unknownStop,
  },
  {
    came: '429',
    matches: isStatus(429),
    ...same({ verdict: 'limited', next: 'try-again' }),
  },
  {
    came: '408 425 5xx',
    matches: (evidence) => isStatus(408, 425)(evidence) || statusOf(evidence) >= 500,
    ...same(unknownTryAgain),
  },
  {
    came: '409 on a message, the first that is heard of a named intent in this journal',
    matches: (evidence) =>
      isStatus(409)(evidence) &&
      evidence.kind === 'message' &&
      !evidence.tainted &&
      evidence.firstHeardOfName,
    ...same({ ...duplicate, unverified: true }),
  },
  {
    came: 'any other 409 on a message',
    matches: (evidence) => isStatus(409)(evidence) && evidence.kind === 'message',
    untainted: held('conflict'),
    tainted: duplicate,
  },
  {
    came: '409 on a transfer',
    matches: isStatus(409),
    ...same({ ...unknownTryAgain, heldAtEnd: true, why: 'conflict-in-flight' }),
  },
  {
    came: 'other 3xx; 400 402 404 422 and other 4xx not named here',
    matches: () => true,
    untainted: rejected,
    tainted: held('rejected-after-doubt'),
  },
];

export function rowFor(evidence: Evidence): VerdictRow {
  const row = verdictTable.find(({ matches }) => matches(evidence));
  if (row === undefined) throw new Error('the verdict table has no row for this evidence');
  return row;
}

export function judge(evidence: Evidence): Judgement {
  const row = rowFor(evidence);
  return evidence.tainted ? row.tainted : row.untainted;
}
