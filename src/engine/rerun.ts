import type { Kind } from '../intent/wanted.ts';
import type { State } from '../journal/journal.ts';

/** What is known when a command meets an intent of its own identity. */
export type Meeting = {
  readonly kind: Kind;
  /** Whether the caller named it. */
  readonly named: boolean;
  readonly sameBot: boolean;
  readonly sameBody: boolean;
  readonly state: State;
  readonly tainted: boolean;
  readonly ownerAlive: boolean;
  readonly resolvedAs: 'happened' | 'did-not-happen' | undefined;
  readonly reported: boolean;
  /** First reported within the re-run window. */
  readonly withinWindow: boolean;
  /** What may have landed is older than any memory of its key that can be relied on. */
  readonly pastKeyAge: boolean;
};

export type RerunDecision =
  | 'other-bot'
  | 'other-body'
  /** Another process is sending it: wait, and report its outcome. */
  | 'wait'
  /** Send the stored bytes with the stored key. */
  | 'resume'
  | 'needs-decision'
  /** Leave the held one where it is, say so, and begin anew. */
  | 'leave-behind'
  | 'replay'
  /** The same key again, perhaps with a mended body. */
  | 'again'
  /** A new intent, and a word on when the same was last done. */
  | 'new-after-done'
  | 'new';

export type RerunMeaning = {
  readonly happens: string;
  /** The exit code; where there is none, it is that of whatever the intent comes to. */
  readonly exit?: 0 | 6 | 10;
};

/** What each decision comes to, for those who run commands again. */
export const rerunMeanings: Readonly<Record<RerunDecision, RerunMeaning>> = {
  'other-bot': { happens: 'not sent', exit: 6 },
  'other-body': { happens: 'not sent', exit: 6 },
  wait: {
    happens: 'waited for, --max-wait at most (then 9), and its outcome reported; never a second request',
  },
  'leave-behind': { happens: 'left behind with a notice, and a new intent begins' },
  resume: { happens: 'resumed with its stored key and stored bytes' },
  'needs-decision': { happens: 'not sent; says which decision is needed', exit: 10 },
  replay: {
    happens:
      'shown again from the journal: nothing is sent, and a notice says so. On a terminal an unnamed one asks first',
    exit: 0,
  },
  'new-after-done': {
    happens: 'a new intent; a notice (on a terminal, the question) says when the same was last done',
  },
  new: { happens: 'a new intent with a new key' },
  again: { happens: 'the same key again; with a changed body only if it never may have happened' },
};

export type RerunRow = {
  readonly found: string;
  readonly matches: (meeting: Meeting) => boolean;
  readonly decision: RerunDecision;
};

const isUndone = ({ state, tainted, resolvedAs }: Meeting): boolean =>
  (state === 'rejected' && !tainted) || (state === 'resolved' && resolvedAs === 'did-not-happen');
const isDone = ({ state, resolvedAs }: Meeting): boolean =>
  state === 'accepted' || (state === 'resolved' && resolvedAs === 'happened');

/** Is this a re-run? First match, top to bottom. Without anything found it is not, and all is new. */
export const rerunTable: readonly RerunRow[] = [
  {
    found: 'a name held by another bot',
    matches: ({ named, sameBot }) => named && !sameBot,
    decision: 'other-bot',
  },
  {
    found: 'named, other canonical body, and neither rejected untainted nor resolved as did-not-happen',
    matches: (meeting) => meeting.named && !meeting.sameBody && !isUndone(meeting),
    decision: 'other-body',
  },
  {
    found: 'sending, its owner alive',
    matches: ({ state, ownerAlive }) => state === 'sending' && ownerAlive,
    decision: 'wait',
  },
  {
    found: 'unknown or sending with a dead owner, an unnamed message past its key age',
    matches: (meeting) =>
      (meeting.state === 'unknown' || meeting.state === 'sending') && isForgottenMessage(meeting),
    decision: 'leave-behind',
  },
  {
    found: 'open, unknown, sending with a dead owner',
    matches: ({ state }) => state === 'open' || state === 'unknown' || state === 'sending',
    decision: 'resume',
  },
  {
    found: 'held, an unnamed message past its key age',
    matches: (meeting) => meeting.state === 'held' && isForgottenMessage(meeting),
    decision: 'leave-behind',
  },
  { found: 'held', matches: ({ state }) => state === 'held', decision: 'needs-decision' },
  {
    found: 'accepted, or resolved as happened: named, not yet reported, or reported within the window',
    matches: (meeting) => isDone(meeting) && (meeting.named || !meeting.reported || meeting.withinWindow),
    decision: 'replay',
  },
  { found: 'the same, unnamed, outside the window', matches: isDone, decision: 'new-after-done' },
  {
    found: 'rejected, or resolved as did-not-happen, unnamed',
    matches: (meeting) => isUndone(meeting) && !meeting.named,
    decision: 'new',
  },
  {
    found: 'the same, named, tainted, with another body',
    matches: ({ sameBody, tainted }) => !sameBody && tainted,
    decision: 'other-body',
  },
  { found: 'the same, named', matches: isUndone, decision: 'again' },
];

function isForgottenMessage({ kind, named, pastKeyAge }: Meeting): boolean {
  return kind === 'message' && !named && pastKeyAge;
}

export function rerunRowFor(meeting: Meeting): RerunRow {
  const row = rerunTable.find(({ matches }) => matches(meeting));
  if (row === undefined) throw new Error('the re-run table has no row for this meeting');
  return row;
}

export const rerunWindowMs: Readonly<Record<Kind, number>> = {
  transfer: 20 * 3_600_000,
  message: 2 * 60_000,
};
