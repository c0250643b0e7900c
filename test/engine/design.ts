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
  verified?: false;
  heldWhenTriesEnd?: true;
}

/** What a whole reply with this status (and, for 2xx, a body that names the thing done) proves. */
export function proofOfStatus(
  status: number,
  kind: Kind,
  before: { tainted: boolean; named: boolean; first: boolean },
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
  if (status === 409 && kind === 'transfer') {
    return { verdict: 'unknown', again: true, heldWhenTriesEnd: true };
  }
  if (status === 409) {
    if (before.tainted) return { verdict: 'accepted', again: false, duplicate: true };
    return before.named && before.first
      ? { verdict: 'accepted', again: false, duplicate: true, verified: false }
      : { verdict: 'held', again: false };
  }
  return { verdict: before.tainted ? 'held' : 'rejected', again: false };
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
  reported: 'never' | 'inside' | 'outside';
}

export type Step = 'refuse-bot' | 'refuse-body' | 'wait' | 'resume' | 'hold' | 'replay' | 'new' | 'again';

/** Table 4, top to bottom, the first match; "a changed body" of the last named row included. */
export function stepFor(found: Found | undefined): Step {
  if (found === undefined) return 'new';
  const undone = found.state === 'rejected' || (found.state === 'resolved' && found.happened === false);
  const done = found.state === 'accepted' || (found.state === 'resolved' && found.happened);
  if (found.named && found.otherBot) return 'refuse-bot';
  if (found.named && found.otherBody) {
    if (!undone) return 'refuse-body';
    if (found.tainted) return 'refuse-body';
  }
  if (found.state === 'sending' && found.ownerLives) return 'wait';
  if (found.state === 'open' || found.state === 'unknown' || found.state === 'sending') {
    return 'resume';
  }
  if (found.state === 'held') {
    return !found.named && found.kind === 'message' && found.pastKeyAge ? 'new' : 'hold';
  }
  if (done) return found.named || found.reported !== 'outside' ? 'replay' : 'new';
  return found.named ? 'again' : 'new';
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const windows = { transfer: 20 * HOUR, message: 2 * MINUTE };
export const keyAges = { transfer: 30 * MINUTE, message: 24 * HOUR };
export const clockSlack = 5 * MINUTE;
export const defaults = { retries: 4, maxWait: MINUTE, timeout: 30_000, landing: 5_000 };

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

/** Section 6's table: exit code, what it means in a few of its words, and `error.retry`. */
export const exitRows: readonly (readonly [number, RegExp, string | undefined])[] = [
  [0, /done, or already done/u, undefined],
  [1, /fault of botctl or this machine/u, 'after-fix'],
  [2, /the command, its payload.*400, 422, 3xx/u, 'after-fix'],
  [3, /no token, 401, 403/u, 'after-fix'],
  [4, /404/u, 'after-fix'],
  [5, /402 insufficient balance/u, 'after-fix'],
  [6, /another body or bot/u, 'after-fix'],
  [7, /429 until the time ran out/u, 'same-command'],
  [8, /could not be reached/u, 'same-command'],
  [9, /unknown/u, 'same-command'],
  [10, /held/u, 'decide'],
  [11, /several intents, not all done/u, 'same-command'],
  [130, /interrupted, or answered No, before anything was sent/u, 'same-command'],
];
