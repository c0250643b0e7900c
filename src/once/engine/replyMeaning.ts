import { type MinorUnits, minorUnits } from '../entry/amount.ts';
import { base58Alphabet } from '../entry/signature.ts';
import type { Kind, TransferRequest } from '../entry/wanted.ts';
import type { Entry, Verdict } from '../journal/journal.ts';
import { type ConflictWords, conflictWords } from '../wire/conflict.ts';
import {
  bothIn,
  type Flight,
  type ParsedReply,
  type ReplyFields,
  resultIn,
  saysItFailed,
} from '../wire/flight.ts';

/** Everything that one attempt is judged by. */
export type ReplyFacts = {
  readonly kind: Kind;
  readonly flight: Flight;
  /** The parsed reply; undefined if none came. */
  readonly parsed: ParsedReply | undefined;
  /** What a 409 says. */
  readonly words: ConflictWords;
  /** The reply names another payment. */
  readonly isAnother: boolean;
  /** The transfer id or the signature in the reply belongs to another entry. */
  readonly isTaken: boolean;
  readonly inDoubt: boolean;
  readonly named: boolean;
  /** The headers of an earlier attempt under this key went out, and it was not refused. */
  readonly sentBefore: boolean;
  /** An earlier attempt of the entry was rejected, or got 429. */
  readonly refusedHere: boolean;
};

/** What an attempt proves. */
export type ReplyMeaning = {
  readonly verdict: Verdict;
  /** `done`: the entry has its outcome. `try-again`: if time is left. `stop`: trying now would tell nothing new. */
  readonly next: 'done' | 'try-again' | 'stop';
  /** If tries end with this, an operator must decide. */
  readonly heldAtEnd?: true;
  readonly duplicate?: true;
  readonly heldReason?: HeldReason;
};

/** Why an entry is held; the sentences are in `cli/wording/outcomes.ts`. All but `approval` leave it in doubt. */
export type HeldReason =
  | 'approval'
  | 'too-old'
  | 'another-token'
  | 'not-allowed'
  | 'another-payment'
  | 'says-failed'
  | 'id-taken'
  | 'refused-in-doubt'
  | 'key-conflict'
  | 'unclear-reply';

export type VerdictRow = {
  readonly came: string;
  readonly matches: (facts: ReplyFacts) => boolean;
  readonly clear: ReplyMeaning;
  readonly inDoubt: ReplyMeaning;
};

const accepted: ReplyMeaning = { verdict: 'accepted', next: 'done' };
const duplicate: ReplyMeaning = { verdict: 'accepted', next: 'done', duplicate: true };
const rejected: ReplyMeaning = { verdict: 'rejected', next: 'done' };
const unknownTryAgain: ReplyMeaning = { verdict: 'unknown', next: 'try-again' };
const unknownStop: ReplyMeaning = { verdict: 'unknown', next: 'stop' };
const heldAtEnd = (why: HeldReason): ReplyMeaning => ({
  ...unknownTryAgain,
  heldAtEnd: true,
  heldReason: why,
});
const held = (why: HeldReason): ReplyMeaning => ({ verdict: 'held', next: 'done', heldReason: why });
const same = (meaning: ReplyMeaning) => ({ clear: meaning, inDoubt: meaning });

const statusOf = ({ flight }: ReplyFacts): number => (flight.came === 'reply' ? flight.status : 0);
const isSuccess = (facts: ReplyFacts): boolean => statusOf(facts) >= 200 && statusOf(facts) <= 299;
const isStatus =
  (...statuses: readonly number[]) =>
  (facts: ReplyFacts): boolean =>
    statuses.includes(statusOf(facts));

/** A success that shows a message or a transfer. Without that, nothing shows that anything was done. */
export const provesItHappened = (facts: ReplyFacts): boolean => {
  const json = facts.parsed?.json;
  return isSuccess(facts) && json !== undefined && resultIn(facts.kind, json) !== undefined;
};

const isConflict =
  (kind: Kind, ...words: readonly ConflictWords[]) =>
  (facts: ReplyFacts): boolean =>
    isStatus(409)(facts) && facts.kind === kind && words.includes(facts.words);

/** What a 409 says. A reply that was too long to read whole may say anything, so it counts as other words. */
export function wordsIn(flight: Flight, { key }: Pick<Entry, 'key'>): ConflictWords {
  if (flight.came === 'nothing' || flight.status !== 409) return 'none';
  return flight.ended === 'too-long' ? 'other' : conflictWords(flight, key);
}

function isBrokenOff({ flight }: ReplyFacts): boolean {
  return flight.came === 'nothing' ? flight.upgraded !== true : flight.ended === 'broken';
}

/** Statuses that services send only if nothing was done. */
const rejections: readonly number[] = [
  400, 402, 404, 405, 406, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428, 431, 451,
];

/** What one attempt proves. The first matching row applies. */
export const verdictTable: readonly VerdictRow[] = [
  {
    // DNS, refused, connect timeout, TLS failure: headers never went out
    came: 'headers-unsent',
    matches: ({ flight }) => flight.came === 'nothing' && !flight.headersSent,
    clear: { verdict: 'unsent', next: 'try-again' },
    inDoubt: unknownTryAgain,
  },
  // reset, timeout, abort, body broken off after headers went out
  { came: 'broken-off', matches: isBrokenOff, ...same(unknownTryAgain) },
  {
    // 2xx of a transfer that names another recipient, asset or amount
    came: 'another-payment',
    matches: (facts) => provesItHappened(facts) && facts.isAnother,
    ...same(held('another-payment')),
  },
  {
    // 2xx that shows a message, or a transfer id or signature, and says that it failed
    came: 'says-failed',
    matches: (facts) => provesItHappened(facts) && saysItFailed(facts.kind, facts.parsed?.json ?? {}),
    ...same(held('says-failed')),
  },
  {
    // 2xx whose transfer id or signature is another entry’s
    came: 'id-taken',
    matches: (facts) => provesItHappened(facts) && facts.isTaken,
    ...same(held('id-taken')),
  },
  // 2xx that shows a message, or a transfer id or signature
  { came: 'proof', matches: provesItHappened, ...same(accepted) },
  // any other whole 2xx
  { came: 'no-proof', matches: isSuccess, ...same(held('unclear-reply')) },
  {
    // 409 that says that the service has this message already, although it refused an earlier attempt
    came: 'repetition-of-refused',
    matches: (facts) => isConflict('message', 'none', 'repetition')(facts) && facts.refusedHere,
    ...same(held('key-conflict')),
  },
  {
    // 409 that says that the service has this message already
    came: 'repetition-of-named-or-sent',
    matches: (facts) =>
      isConflict('message', 'none', 'repetition')(facts) && (facts.named || facts.sentBefore),
    ...same(duplicate),
  },
  {
    // the same 409 for a random key, which nobody else can have used
    came: 'repetition',
    matches: isConflict('message', 'none', 'repetition'),
    clear: held('key-conflict'),
    inDoubt: duplicate,
  },
  { came: 'under-way', matches: isConflict('message', 'under-way'), ...same(unknownTryAgain) },
  { came: 'other-conflict', matches: isConflict('message', 'other'), ...same(held('key-conflict')) },
  { came: 'conflict-on-transfer', matches: isStatus(409), ...same(heldAtEnd('key-conflict')) },
  {
    came: 'not-permitted',
    matches: isStatus(401, 403),
    clear: rejected,
    inDoubt: unknownStop,
  },
  { came: 'limited', matches: isStatus(429), ...same({ verdict: 'limited', next: 'try-again' }) },
  {
    came: 'try-later',
    matches: (facts) => isStatus(408, 425)(facts) || (statusOf(facts) >= 500 && statusOf(facts) <= 599),
    ...same(unknownTryAgain),
  },
  {
    // 303, 1xx as final
    came: 'no-final-answer',
    matches: (facts) => statusOf(facts) < 200 || statusOf(facts) === 303,
    ...same(unknownStop),
  },
  {
    // other 3xx, and the rejections above
    came: 'refused',
    matches: (facts) => statusOf(facts) <= 399 || rejections.includes(statusOf(facts)),
    clear: rejected,
    inDoubt: held('refused-in-doubt'),
  },
  // any other status: proxies send these for requests that went through
  { came: 'unclear-status', matches: () => true, ...same(heldAtEnd('unclear-reply')) },
];

export function rowFor(facts: ReplyFacts): VerdictRow {
  const row = verdictTable.find(({ matches }) => matches(facts));
  if (row === undefined) throw new Error('no row of the table fits this reply');
  return row;
}

export function judge(facts: ReplyFacts): ReplyMeaning {
  const row = rowFor(facts);
  return facts.inDoubt ? row.inDoubt : row.clear;
}

/** Whether no other body can have its key, because the key is random or made from the body. */
export function keyFixesBody({ namedBy, rowId }: Pick<Entry, 'namedBy' | 'rowId'>): boolean {
  return namedBy === undefined || namedBy === 'run' || (namedBy === 'row' && rowId === undefined);
}

/** Whether a reply names a payment other than the entry's. */
export function namesAnother({ kind, body }: Pick<Entry, 'kind' | 'body'>, json: ReplyFields): boolean {
  if (kind !== 'transfer') return false;
  const ours = JSON.parse(new TextDecoder().decode(body)) as TransferRequest;
  return bothIn(kind, json).some((fields) => isAnother(ours, fields));
}

/** Whether a value is exact. A number of 16 digits or more may have lost some, and one with an exponent may too. */
const isText = (value: unknown): boolean =>
  typeof value === 'string' ||
  (typeof value === 'number' && !/e|\d{16}/u.test(String(value).replace('.', '')));

/** Whether fields of a reply name another payment. A missing field names nothing. */
function isAnother(ours: TransferRequest, { to_address: to, asset, amount }: ReplyFields): boolean {
  const isSol = ours.asset.toUpperCase() === 'SOL';
  // For a token, the reply may name the recipient's token account instead of the recipient.
  if (isSol && typeof to === 'string' && to !== ours.to_address) return true;
  // A symbol and a mint can name the same token.
  if (typeof asset === 'string' && account.test(asset) === account.test(ours.asset))
    if (asset.toLowerCase() !== ours.asset.toLowerCase()) return true;
  return isText(amount) && isAnotherAmount(ours.amount, String(amount), isSol);
}

// 32 bytes in base58: an address, or a mint.
const account = new RegExp(`^[${base58Alphabet}]{32,44}$`, 'u');

// Anything longer is not an amount.
const decimal = /^(?=.{1,100}$)\d+(\.\d+)?$/u;

/** The reply may give the amount in units or in base units. In base units it is larger by a power of ten. */
function isAnotherAmount(ours: string, theirs: string, isSol: boolean): boolean {
  if (!decimal.test(theirs)) return true;
  const [mine, replied] = [powerOf(minorUnits(ours)), powerOf(minorUnits(theirs))];
  const power = replied.power - mine.power;
  return mine.digits !== replied.digits || (power !== 0 && (isSol ? power !== 9 : power < 0));
}

/** The digits without trailing zeros, and the power of ten that they are multiplied by. */
function powerOf({ units, decimals }: MinorUnits): { readonly digits: string; readonly power: number } {
  const all = String(units);
  const digits = all.replace(/0+$/u, '');
  return { digits, power: digits === '' ? 0 : all.length - digits.length - decimals };
}
