import { addAmounts, type MinorUnits, minorUnits } from '../intent/amount.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Intent, Verdict } from '../journal/journal.ts';
import { type Flight, hasOtherCause, type ParsedReply, saysItFailed, saysNothing } from '../wire/flight.ts';
import type { ApprovalReason } from './approval.ts';

/** Everything that one attempt is judged by. */
export type Evidence = {
  readonly kind: Kind;
  readonly flight: Flight;
  /** The parsed reply; undefined if none came. */
  readonly parsed: ParsedReply | undefined;
  /** What the reply says about its request. */
  readonly echo: Echo;
  /** The result in the reply is another intent's: the reply arrived on the wrong request. */
  readonly isSomeoneElses: boolean;
  readonly tainted: boolean;
  /** A named intent, and this journal has had no other answer about it. */
  readonly firstHeardOfName: boolean;
};

/** What an attempt proves. */
export type Ruling = {
  readonly verdict: Verdict;
  /** The intent has its outcome; or try again if time is left; or stop, because trying now would tell nothing new. */
  readonly next: 'done' | 'try-again' | 'stop';
  /** If tries end with this ruling, an operator must decide. */
  readonly heldAtEnd?: true;
  readonly duplicate?: true;
  readonly heldReason?: HeldReason;
};

export type HeldReason =
  | 'failed-status'
  | 'no-proof'
  | 'someone-elses'
  | 'other-payment'
  | 'unclear-status'
  | 'rejected-after-doubt'
  | 'other-conflict'
  | 'conflict'
  | 'conflict-in-flight'
  | 'key-age'
  | 'clock'
  | 'other-token'
  | 'policy'
  | ApprovalReason;

export type VerdictRow = {
  readonly came: string;
  readonly matches: (evidence: Evidence) => boolean;
  readonly untainted: Ruling;
  readonly tainted: Ruling;
};

const accepted: Ruling = { verdict: 'accepted', next: 'done' };
const duplicate: Ruling = { verdict: 'accepted', next: 'done', duplicate: true };
const rejected: Ruling = { verdict: 'rejected', next: 'done' };
const unknownTryAgain: Ruling = { verdict: 'unknown', next: 'try-again' };
const unknownStop: Ruling = { verdict: 'unknown', next: 'stop' };
const heldAtEnd = (why: HeldReason): Ruling => ({ ...unknownTryAgain, heldAtEnd: true, heldReason: why });
const held = (why: HeldReason): Ruling => ({ verdict: 'held', next: 'done', heldReason: why });
const same = (ruling: Ruling) => ({ untainted: ruling, tainted: ruling });

const statusOf = ({ flight }: Evidence): number => (flight.came === 'reply' ? flight.status : 0);
const isSuccess = (evidence: Evidence): boolean => statusOf(evidence) >= 200 && statusOf(evidence) <= 299;
const isStatus =
  (...statuses: readonly number[]) =>
  (evidence: Evidence): boolean =>
    statuses.includes(statusOf(evidence));

const nonEmptyString = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A success that names what was done. Without a name nothing shows that anything was done. */
function namesWhatWasDone(kind: Kind, parsed: ParsedReply | undefined): boolean {
  const json = parsed?.json;
  if (json === undefined || !saysNothing(json.error)) return false;
  return kind === 'message'
    ? isObject(json.message)
    : nonEmptyString(json.transfer_id) || nonEmptyString(json.signature);
}

export const provesItHappened = (evidence: Evidence): boolean =>
  isSuccess(evidence) && namesWhatWasDone(evidence.kind, evidence.parsed);

// If botctl itself stopped reading a long reply that says no, its status line is proof enough.
function wasBrokenOff(evidence: Evidence): boolean {
  const { flight } = evidence;
  if (flight.came === 'nothing') return flight.upgraded !== true;
  if (flight.ended === 'too-long') return isSuccess(evidence);
  return flight.ended === 'broken';
}

/** Statuses that are sent only for what was not done. */
const rejections: readonly number[] = [
  400, 402, 404, 405, 406, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428, 431, 451,
];

/** What one attempt proves. The first matching row applies. */
export const verdictTable: readonly VerdictRow[] = [
  {
    // DNS, refused, connect timeout, TLS failure: headers never went out
    came: 'headers-unsent',
    matches: ({ flight }) => flight.came === 'nothing' && !flight.headersSent,
    untainted: { verdict: 'unsent', next: 'try-again' },
    tainted: unknownTryAgain,
  },
  {
    // reset, timeout, abort, body broken off after headers went out
    came: 'broken-off',
    matches: wasBrokenOff,
    ...same(unknownTryAgain),
  },
  {
    // 2xx that shows a message, or a transfer id or signature, and says that it failed
    came: 'says-failed',
    matches: (evidence) =>
      provesItHappened(evidence) && saysItFailed(evidence.kind, evidence.parsed?.json ?? {}),
    ...same(held('failed-status')),
  },
  {
    // 2xx whose transfer id, signature or message id is another intent’s
    came: 'someone-elses',
    matches: (evidence) => provesItHappened(evidence) && evidence.isSomeoneElses,
    ...same(heldAtEnd('someone-elses')),
  },
  {
    // 2xx of a transfer that names another recipient, asset or amount
    came: 'other-payment',
    matches: (evidence) =>
      provesItHappened(evidence) && evidence.kind === 'transfer' && evidence.echo === 'other',
    ...same(held('other-payment')),
  },
  {
    // 2xx that shows a message, or a transfer id or signature
    came: 'proof',
    matches: provesItHappened,
    ...same(accepted),
  },
  // any other whole 2xx
  { came: 'no-proof', matches: isSuccess, ...same(held('no-proof')) },
  {
    // 303, 1xx as final
    came: 'no-final-answer',
    matches: (evidence) => statusOf(evidence) < 200 || statusOf(evidence) === 303,
    ...same(unknownStop),
  },
  {
    // 401 403
    came: 'not-permitted',
    matches: isStatus(401, 403),
    untainted: rejected,
    tainted: unknownStop,
  },
  {
    // 429
    came: 'limited',
    matches: isStatus(429),
    ...same({ verdict: 'limited', next: 'try-again' }),
  },
  {
    // 408 425 5xx
    came: 'try-later',
    matches: (evidence) => isStatus(408, 425)(evidence) || statusOf(evidence) >= 500,
    ...same(unknownTryAgain),
  },
  {
    // 409 on a message that names a cause other than a key that was used before
    came: 'other-conflict',
    matches: (evidence) =>
      isStatus(409)(evidence) &&
      evidence.kind === 'message' &&
      hasOtherCause(evidence.parsed?.complaint ?? {}),
    ...same(held('other-conflict')),
  },
  {
    // 409 on a message, as the first answer about a named intent in this journal
    came: 'first-conflict',
    matches: (evidence) =>
      isStatus(409)(evidence) &&
      evidence.kind === 'message' &&
      !evidence.tainted &&
      evidence.firstHeardOfName,
    ...same(duplicate),
  },
  {
    // any other 409 on a message
    came: 'conflict',
    matches: (evidence) => isStatus(409)(evidence) && evidence.kind === 'message',
    untainted: held('conflict'),
    tainted: duplicate,
  },
  {
    // 409 on a transfer
    came: 'conflict-on-transfer',
    matches: isStatus(409),
    ...same(heldAtEnd('conflict-in-flight')),
  },
  {
    // any other 4xx: proxies send these for requests that went through
    came: 'unclear-status',
    matches: (evidence) => statusOf(evidence) >= 400 && !isStatus(...rejections)(evidence),
    ...same(heldAtEnd('unclear-status')),
  },
  {
    // other 3xx, and the rejections above
    came: 'refused',
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

export function judge(evidence: Evidence): Ruling {
  const row = rowFor(evidence);
  return evidence.tainted ? row.tainted : row.untainted;
}

/** The key is random or made from the body, so no other body has it. */
export function keyFixesBody({ namedBy, rowId }: Pick<Intent, 'namedBy' | 'rowId'>): boolean {
  return namedBy === undefined || namedBy === 'run' || (namedBy === 'row' && rowId === undefined);
}

/**
 * What a reply says about its request: the same, another one, or nothing. Only the request's own field names are
 * compared.
 */
export type Echo = 'same' | 'other' | 'silent';

type EvidenceFields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is EvidenceFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function echoOf({ kind, body }: Pick<Intent, 'kind' | 'body'>, json: EvidenceFields): Echo {
  const names = kind === 'transfer' ? transferFields : messageFields;
  const objects = [json, kind === 'transfer' ? json.transfer : json.message].filter(isFields);
  if (!objects.some((object) => names.some((name) => name in object))) return 'silent';
  const request = JSON.parse(new TextDecoder().decode(body)) as Readonly<Record<string, string | undefined>>;
  const echoes = names.map((name) => fieldEcho(name, request, objects));
  if (echoes.includes('other')) return 'other';
  return echoes.every((echo) => echo === 'same') ? 'same' : 'silent';
}

const transferFields = ['to_address', 'asset', 'amount'] as const;
const messageFields = ['conversation_id', 'content'] as const;
type Field = (typeof transferFields)[number] | (typeof messageFields)[number];

function fieldEcho(
  name: Field,
  request: Readonly<Record<string, string | undefined>>,
  objects: readonly EvidenceFields[],
): Echo {
  const wanted = request[name] ?? '';
  const echoes = objects
    .filter((object) => name in object)
    .map((object): Echo => {
      const given = object[name];
      switch (name) {
        case 'to_address':
          return addressEcho(wanted, given, request.asset === 'SOL');
        case 'asset':
          return assetEcho(wanted, given);
        case 'amount':
          return amountEcho(wanted, given, request.asset === 'SOL');
        default:
          return typeof given !== 'string' ? 'silent' : given === wanted ? 'same' : 'other';
      }
    });
  if (echoes.includes('other')) return 'other';
  return echoes.includes('same') ? 'same' : 'silent';
}

// 32 bytes in base58: an address, or a mint.
const account = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/u;

/** For a token, the reply may name the recipient's token account instead of the recipient. */
function addressEcho(wanted: string, given: unknown, isSol: boolean): Echo {
  if (given === wanted) return 'same';
  return isSol && typeof given === 'string' && account.test(given) ? 'other' : 'silent';
}

/** A symbol and a mint can name the same token. */
function assetEcho(wanted: string, given: unknown): Echo {
  if (typeof given !== 'string' || given === '') return 'silent';
  if (given.toLowerCase() === wanted.toLowerCase()) return 'same';
  return account.test(given) === account.test(wanted) ? 'other' : 'silent';
}

// Anything longer is not an amount.
const decimal = /^(?=.{1,100}$)(\d+\.?\d*|\.\d+)$/u;

function amountEcho(wanted: string, given: unknown, isSol: boolean): Echo {
  const decimals = isSol ? [9] : tokenDecimals;
  if (typeof given === 'number') {
    // A JSON number may have lost digits; compare as many as it kept.
    if (given === Number(wanted)) return 'same';
    return decimals.some((count) => given === Number(`${wanted}e${count}`)) ? 'silent' : 'other';
  }
  if (typeof given !== 'string' || !decimal.test(given)) return 'silent';
  const [asked, echoed] = [minorUnits(wanted), minorUnits(given)];
  if (isEqual(asked, echoed)) return 'same';
  return decimals.some((count) => isEqual({ ...asked, units: asked.units * 10n ** BigInt(count) }, echoed))
    ? 'silent'
    : 'other';
}

// For amounts in base units: the numbers of decimals that tokens have.
const tokenDecimals = Array.from({ length: 14 }, (_, index) => index + 5);

function isEqual(left: MinorUnits, right: MinorUnits): boolean {
  const difference = addAmounts(left, { ...right, units: -right.units });
  return difference.units === 0n;
}
