/**
 * The design's tables 4, 5 and 6, written by hand from its text. It imports nothing of the program
 * and shares nothing with it: where the two differ, one of them is wrong.
 */

export type Kind = 'message' | 'transfer';

export type Verdict = 'accepted' | 'rejected' | 'unsent' | 'limited' | 'unknown' | 'held';

export interface Proof {
  verdict: Verdict;
  again: boolean;
  duplicate?: true;
  heldWhenTriesEnd?: true;
}

/** The 4xx that are a plain no; every other is said by proxies too, of requests that went through. */
const plainNo = [
  400, 402, 404, 405, 406, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428, 431, 451,
];

/** What a whole reply with this status (and, for 2xx, a body that names the thing done) proves. */
export function proofOfStatus(
  status: number,
  kind: Kind,
  before: { tainted: boolean; named: boolean; first: boolean },
  saysWhy = false,
): Proof {
  if (status >= 200 && status <= 299) return { verdict: 'accepted', again: false };
  if (status === 303 || (status >= 100 && status <= 199)) {
    return { verdict: 'unknown', again: false };
  }
  if (status === 401 || status === 403) {
    return { verdict: before.tainted ? 'unknown' : 'rejected', again: false };
  }
  if (status === 429) return { verdict: 'limited', again: true };
  if (status === 408 || status === 425 || status >= 500) return { verdict: 'unknown', again: true };
  if (status === 409 && kind === 'transfer') return proofOfNeither;
  if (status === 409 && saysWhy) return { verdict: 'held', again: false };
  if (status === 409) {
    const ours = before.tainted || (before.named && before.first);
    return ours ? { verdict: 'accepted', again: false, duplicate: true } : { verdict: 'held', again: false };
  }
  if (status >= 400 && !plainNo.includes(status)) return proofOfNeither;
  return { verdict: before.tainted ? 'held' : 'rejected', again: false };
}

/** What a 409 on a message may say, and whether that names a cause other than a key that was used before. */
export const conflicts: readonly (readonly [body: unknown, saysWhy: boolean])[] = [
  ['', false],
  ['Conflict', false],
  ['This key was already used; nothing was sent.', false],
  ['The message was not posted.', true],
  ['No message was sent: it is closed.', true],
  ['It couldn’t be delivered.', true],
  ['The bot is blocked, so the message could not be sent', true],
  ['It was not accepted because it has already been sent.', false],
  ['The conversation is closed.', false],
  [{ error: { code: 'conversation_closed', message: 'nothing was posted' } }, true],
  [{ error: { code: 'conversation_closed' } }, true],
  [{ error: 'conversation_closed', message: 'It is closed.' }, true],
  [{ error: 'conversationClosed', message: 'It is closed.' }, true],
  [{ code: 'bot_blocked', message: 'Duplicate' }, true],
  [{ error: { code: 'duplicate_idempotency_key', message: 'Nothing was sent.' } }, false],
  [{ error: { code: 'DuplicateRequest', message: 'Nothing was sent.' } }, false],
  [{ error: { code: 'ALREADY_EXISTS' } }, false],
  [{ error: { code: 'key_in_use' } }, false],
  [{ error: { code: 'conflict', message: 'Known' } }, false],
  [{ error: { code: 'conflict', message: 'The conversation is closed, nothing was posted' } }, true],
  [{ error: { code: 409, message: 'Known' } }, false],
  [{ code: '40901', error: 'Conflict' }, false],
  [{ code: 409, message: 'The message has not been posted' }, true],
  [{ error: 'Conflict', message: 'Idempotency key was used: nothing was done' }, false],
  [{ title: 'Conflict', detail: 'Nothing has been posted to the conversation.' }, true],
];

/** Words of a status or a code by which a 2xx says that it failed: section 5's list, in every spelling. */
export const failures =
  `failed FAILED Fail failure rejected reject refused REFUSE unsuccessful reversed reverse tx_reversed refunded
  refund voided void NOT_ENOUGH_FUNDS notEnoughBalance not_sent notSent cancelled canceled cancel expired error
  ERRORED declined decline reverted revert dropped aborted abort denied timeout timed_out timedOut TimeOut TIMED-OUT
  insufficient invalid TransferFailed tx-dropped failed2 on-chain:reverted INSUFFICIENT_FUNDS insufficientFunds
  invalid.address HTTPError not_failed_but_expired nothing_failed denied! FAILED_NOT_FINAL`.split(/\s+/u);

/** Words that only look like it, and words that deny it. */
export const noFailures =
  `airdropped not_failed NO_ERROR nonrejected non-rejected neverFailed notTimedOut no_timeout not_refunded submitted
  confirmed finalized unfailing infallible sent enough avoided irreversible refundable not_yet_sent`.split(
    /\s+/u,
  );

/** A 409 on a transfer, an unlisted 4xx, and a reply that names what another intent has. */
export const proofOfNeither: Proof = { verdict: 'unknown', again: true, heldWhenTriesEnd: true };

/**
 * Section 3's last but one paragraph: is what was told to have happened what was asked? But for "the journal saw
 * the name before", which does not prove it: see the test of two machines.
 */
export function isVerified(told: {
  naming: Naming | 'row' | 'row-with-id';
  echo: 'same' | 'other' | 'silent';
}): boolean {
  if (['unnamed', 'run', 'row'].includes(told.naming)) return true;
  return told.echo === 'same';
}

export function proofOfNoHeaders(tainted: boolean): Proof {
  return { verdict: tainted ? 'unknown' : 'unsent', again: true };
}

export const proofOfLostReply: Proof = { verdict: 'unknown', again: true };

export type State = 'open' | 'sending' | 'unknown' | 'accepted' | 'rejected' | 'held' | 'resolved';

/** One intent in the journal, as a second run of a command finds it. */
export interface Found {
  kind: Kind;
  state: State;
  named: boolean;
  tainted: boolean;
  happened: boolean;
  ownerLives: boolean;
  otherBot: boolean;
  otherBody: boolean;
  pastKeyAge: boolean;
  reported: 'never' | 'inside' | 'outside' | 'ahead';
  /** It was proposed once, whatever became of it. */
  proposed: boolean;
  /** A person declined it: a named one, or an unnamed one within the window. */
  declined: boolean;
}

export type Step =
  | 'refuse-declined'
  | 'refuse-bot'
  | 'refuse-body'
  | 'wait'
  | 'resume'
  | 'hold'
  | 'replay'
  | 'new'
  | 'again';

/** Table 4's last column. */
export const exitOfStep: Readonly<Record<Step, number | 'as it ends'>> = {
  'refuse-bot': 6,
  'refuse-body': 6,
  'refuse-declined': 10,
  wait: 'as it ends',
  resume: 'as it ends',
  hold: 10,
  replay: 0,
  new: 'as it ends',
  again: 'as it ends',
};

/** A name that is known at the same origin under another path. */
export const exitOfOtherUrl = {
  'settled at another URL': 6,
  'unknown at another URL': 9,
  'held at another URL': 10,
};

/** Where the guard before table 4 stands: an unfinished twin, or one that was made a while ago. */
export const exitOfTwinInTheWay = 10;

/** Table 4, top to bottom, the first match; "a changed body" of the last named row included. */
export function stepFor(found: Found | undefined): Step {
  if (found === undefined) return 'new';
  const undone = found.state === 'rejected' || (found.state === 'resolved' && found.happened === false);
  const done = found.state === 'accepted' || (found.state === 'resolved' && found.happened);
  if (found.named && found.otherBot) return 'refuse-bot';
  if (found.named && found.otherBody) {
    if (!undone) return 'refuse-body';
    if (found.tainted || found.proposed) return 'refuse-body';
  }
  if (found.state === 'sending' && found.ownerLives) return 'wait';
  if (found.state === 'open' || found.state === 'unknown' || found.state === 'sending') {
    return 'resume';
  }
  if (found.state === 'held') {
    return !found.named && found.kind === 'message' && found.pastKeyAge ? 'new' : 'hold';
  }
  if (done && !found.named && found.reported === 'ahead') return 'hold';
  if (done) return found.named || found.reported !== 'outside' ? 'replay' : 'new';
  if (found.declined) return 'refuse-declined';
  return found.named ? 'again' : 'new';
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const windows = { transfer: 20 * HOUR, message: 2 * MINUTE };
export const repeatWindow = 12 * HOUR;
export const keyAges = { transfer: 30 * MINUTE, message: 24 * HOUR };
export const clockSlack = 5 * MINUTE;
export const defaults = { maxWait: MINUTE, timeout: 30_000, landing: 5_000 };

export type Naming = 'unnamed' | 'once' | 'run' | 'key';

/** The guard against paying twice by spelling the command differently: does it stand in the way? */
export function twinBars(asked: {
  kind: Kind;
  mayHaveLanded: boolean;
  mine: Naming;
  other: { state: State; ownerLives: boolean; naming: Naming };
}): boolean {
  if (asked.kind !== 'transfer' || asked.mayHaveLanded) return false;
  const unfinished =
    asked.other.state === 'unknown' ||
    asked.other.state === 'held' ||
    (asked.other.state === 'sending' && !asked.other.ownerLives);
  const ownName = (naming: Naming) => naming === 'once' || naming === 'key';
  return unfinished && !(ownName(asked.mine) && ownName(asked.other.naming));
}

/** The guard's second half: a payment within the window that nobody was told of, or of another `env` token. */
export function recentBars(asked: {
  kind: Kind;
  mine: Naming;
  bot: string;
  other: {
    done: boolean;
    naming: Naming;
    bot: string;
    told: boolean;
    ageMs: number;
    sameIdentity: boolean;
    sameBody: boolean;
  };
}): boolean {
  const { other } = asked;
  if (asked.kind !== 'transfer' || asked.mine !== 'unnamed' || other.sameIdentity) return false;
  if (!other.done || other.ageMs > windows.transfer) return false;
  if ((other.naming === 'unnamed' || other.naming === 'run') && !other.told) return true;
  return asked.bot === 'env' && other.bot === 'env' && other.naming === 'unnamed' && other.sameBody;
}

/** "Paid already": since when does this earlier payment count as one that mine, another intent, repeats? */
export function repeatedSince(asked: {
  nowMs: number;
  other: {
    samePayment: boolean;
    /** A row of the same batch as mine. */
    sameBatch: boolean;
    state: State;
    tainted: boolean;
    happened: boolean;
    /** When attempts began that may have paid. */
    firstMs: number;
    latestMs: number;
  };
}): number | undefined {
  const { nowMs, other } = asked;
  const mayBePaid =
    other.state === 'sending' ||
    other.state === 'unknown' ||
    other.state === 'accepted' ||
    (other.state === 'held' && other.tainted) ||
    (other.state === 'resolved' && other.happened);
  if (!other.samePayment || other.sameBatch || !mayBePaid) return undefined;
  if (other.firstMs >= nowMs - repeatWindow) return other.firstMs;
  return other.latestMs >= nowMs - repeatWindow ? other.latestMs : undefined;
}

/** An entry on a screen. */
export interface Seen {
  body: string;
  state: State;
  ownerLives: boolean;
  attempts: number;
  decisions: number;
}

/** Section 6: a decision is about what was shown. A death that is on record now was one already. */
export function isAsShown(shown: Seen, now: Seen): boolean {
  const standing = ({ state, ownerLives }: Seen): State =>
    state === 'sending' && !ownerLives ? 'unknown' : state;
  return (
    shown.body === now.body &&
    standing(shown) === standing(now) &&
    shown.attempts === now.attempts &&
    shown.decisions === now.decisions
  );
}

/** Section 6: the exit code of an intent that was left in this state by a last reply like this. */
export function exitOf(end: {
  state: State;
  status?: number;
  unreachable?: boolean;
  interrupted?: boolean;
}): number {
  if (end.state === 'unknown' || end.state === 'sending') return 9;
  if (end.state === 'held') return 10;
  if (end.state === 'accepted') return 0;
  if (end.interrupted) return 130;
  if (end.status === 429) return 7;
  if (end.unreachable) return 8;
  if (end.status === 401 || end.status === 403) return 3;
  if (end.status === 404) return 4;
  if (end.status === 402) return 5;
  return 2;
}

/** Section 6's table: exit code, what to do, what it means in a few of its words, and `error.retry`. */
export const exitRows: readonly (readonly [number, string, RegExp, string | undefined])[] = [
  [0, 'done', /done/u, undefined],
  [1, 'fix', /fault of botctl or this machine/u, 'after-fix'],
  [2, 'fix', /command, input or base URL/u, 'after-fix'],
  [3, 'fix', /no token, .*401, 403/u, 'after-fix'],
  [4, 'fix', /404/u, 'after-fix'],
  [5, 'fix', /too little money \(402\)/u, 'after-fix'],
  [6, 'look', /name is taken/u, 'after-fix'],
  [7, 'again', /429.* until the time ran out/u, 'same-command'],
  [8, 'again', /service or journal could not be reached/u, 'same-command'],
  [9, 'again', /unknown/u, 'same-command'],
  [10, 'look', /held \(waits for you\), .*equal payment found/u, 'decide'],
  [11, 'again', /several entries, and some are not finished/u, 'same-command'],
  [130, 'again', /interrupted, or answered No, before anything was sent/u, 'same-command'],
];
