import { type Exit, exitOf, type FailureCode } from '../failures.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Intent, State } from '../journal/journal.ts';

/** What an order can turn out to be once the journal was asked. The last three are about a twin. */
export type PlanKind =
  | 'new'
  | 'new-after-done'
  | 'leave-behind'
  | 'again'
  | 'resume'
  | 'replay'
  | 'wait'
  | 'needs-decision'
  | 'declined'
  | 'reported-ahead'
  | 'other-body'
  | 'other-bot'
  | 'other-url'
  | 'unknown-at-other-url'
  | 'held-at-other-url'
  | 'wait-for-twin'
  | 'unfinished-twin'
  | 'recently-done';

/** What a row of a batch turns out to be before anything is sent. */
type RowFinding = { readonly is: 'new' | 'unfinished' | 'done' | 'held' | 'elsewhere' | 'conflict' };

/**
 * Everything a kind of plan means; its words are in `cli/say/plans.ts`. A new kind compiles only when all fields are
 * set.
 */
export type PlanMeaning = {
  /** What this machine sends if all goes well. */
  readonly sends: 'nothing' | 'what-was-found' | 'a-new-intent';
  /** Whether to look first for a twin: another payment like it. */
  readonly twinGuard: 'always' | 'if-nothing-left-yet' | 'never';
  /** What a person is asked, if there is one to ask. */
  readonly asks: 'nothing' | 'send' | 'do-again' | 'send-anyway';
  /** What the person is told with the question. */
  readonly reminds: 'of-nothing' | 'of-doubt' | 'it-was-done' | 'when-last-done' | 'of-the-twin';
  /** How the command ends: as its intent does, well, or with this failure and nothing sent. */
  readonly ends: 'as-its-intent' | 'well' | FailureCode;
  /** Whether to suggest another name, for callers who want a second intent. */
  readonly suggestsName: boolean;
  readonly row: RowFinding;
};

const stays = {
  sends: 'nothing',
  twinGuard: 'never',
  asks: 'nothing',
  reminds: 'of-nothing',
  suggestsName: false,
} as const;

const begins = {
  sends: 'a-new-intent',
  twinGuard: 'always',
  asks: 'send',
  reminds: 'of-nothing',
  ends: 'as-its-intent',
  suggestsName: false,
  row: { is: 'new' },
} as const;

export const planKinds = {
  new: begins,
  'new-after-done': { ...begins, reminds: 'when-last-done' },
  'leave-behind': { ...begins, twinGuard: 'never' },
  again: { ...begins, sends: 'what-was-found' },
  resume: {
    ...begins,
    sends: 'what-was-found',
    twinGuard: 'if-nothing-left-yet',
    reminds: 'of-doubt',
    row: { is: 'unfinished' },
  },
  replay: {
    ...stays,
    asks: 'do-again',
    reminds: 'it-was-done',
    ends: 'well',
    suggestsName: true,
    row: { is: 'done' },
  },
  wait: { ...stays, ends: 'as-its-intent', row: { is: 'elsewhere' } },
  'needs-decision': { ...stays, ends: 'held', row: { is: 'held' } },
  declined: { ...stays, ends: 'proposal-declined', row: { is: 'held' } },
  'reported-ahead': { ...stays, ends: 'reported-ahead', suggestsName: true, row: { is: 'held' } },
  'other-body': { ...stays, ends: 'other-body', row: { is: 'conflict' } },
  'other-bot': { ...stays, ends: 'other-bot', row: { is: 'conflict' } },
  'other-url': { ...stays, ends: 'other-url', row: { is: 'conflict' } },
  'unknown-at-other-url': { ...stays, ends: 'unknown', row: { is: 'held' } },
  'held-at-other-url': { ...stays, ends: 'unfinished-twin', row: { is: 'held' } },
  'wait-for-twin': { ...stays, ends: 'as-its-intent', row: { is: 'elsewhere' } },
  'unfinished-twin': { ...stays, ends: 'unfinished-twin', row: { is: 'held' } },
  'recently-done': {
    ...stays,
    asks: 'send-anyway',
    reminds: 'of-the-twin',
    ends: 'recently-done',
    suggestsName: true,
    row: { is: 'held' },
  },
} as const satisfies Record<PlanKind, PlanMeaning>;

/** The kinds for the same name at another base URL. */
export type OtherUrlKind = Extract<PlanKind, `${string}other-url`>;

/** What is reported as the outcome of the intent that was found. */
type ToldOfIntent = 'held' | 'proposal-declined';

/** The kinds that end with a failure of their own. */
export type NotSentKind = {
  [Kind in PlanKind]: (typeof planKinds)[Kind]['ends'] extends Exclude<FailureCode, ToldOfIntent>
    ? Kind
    : never;
}[PlanKind];

/** The kinds that mean that the id of a batch's row stands for something else. */
export type ConflictKind = {
  [Kind in PlanKind]: (typeof planKinds)[Kind]['row']['is'] extends 'conflict' ? Kind : never;
}[PlanKind];

export function isConflict(kind: PlanKind): kind is ConflictKind {
  return planKinds[kind].row.is === 'conflict';
}

export function meaningOf({ is }: { readonly is: PlanKind }): PlanMeaning {
  return planKinds[is];
}

/** The exit code; undefined if it depends on the intent's outcome. */
export function exitOfPlan({ ends }: PlanMeaning): Exit | undefined {
  if (ends === 'as-its-intent') return undefined;
  return ends === 'well' ? 0 : exitOf(ends);
}

/** What is known when a command finds an intent of its own identity. */
export type Found = {
  readonly kind: Kind;
  /** Whether the caller named it. */
  readonly named: boolean;
  readonly sameBot: boolean;
  readonly sameBody: boolean;
  readonly state: State;
  readonly tainted: boolean;
  readonly ownerAlive: boolean;
  readonly resolvedAs: Intent['resolvedAs'];
  /** It was a proposal once: people were shown its body, so that never changes. */
  readonly proposed: boolean;
  /** A person declined it, and it is not to be proposed again. */
  readonly declined: boolean;
  /** When its outcome was first reported; `ahead` means later than this clock's time. */
  readonly reported: 'never' | 'within-window' | 'long-ago' | 'ahead';
  /** It may have landed, and the service may have forgotten its key by now. */
  readonly pastKeyAge: boolean;
};

export type RerunRow = {
  readonly found: string;
  readonly matches: (found: Found) => boolean;
  readonly plan: PlanKind;
};

const didNotHappen = ({ state, tainted, resolvedAs }: Found): boolean =>
  (state === 'rejected' && !tainted) || (state === 'resolved' && resolvedAs !== 'happened');
export const isDone = ({ state, resolvedAs }: Pick<Found, 'state' | 'resolvedAs'>): boolean =>
  state === 'accepted' || (state === 'resolved' && resolvedAs === 'happened');

/** Is this a re-run? The first matching row decides. If nothing was found, the order is new. */
export const rerunTable = [
  {
    found: 'other-bot',
    matches: ({ named, sameBot }) => named && !sameBot,
    plan: 'other-bot',
  },
  {
    found: 'other-body',
    matches: (found) =>
      found.named && !found.sameBody && (!didNotHappen(found) || found.tainted || found.proposed),
    plan: 'other-body',
  },
  {
    found: 'being-sent',
    matches: ({ state, ownerAlive }) => state === 'sending' && ownerAlive,
    plan: 'wait',
  },
  {
    found: 'forgotten-in-doubt',
    matches: (found) => (found.state === 'unknown' || found.state === 'sending') && isForgottenMessage(found),
    plan: 'leave-behind',
  },
  {
    found: 'unfinished',
    matches: ({ state }) => state === 'open' || state === 'unknown' || state === 'sending',
    plan: 'resume',
  },
  {
    found: 'forgotten-held',
    matches: (found) => found.state === 'held' && isForgottenMessage(found),
    plan: 'leave-behind',
  },
  { found: 'held', matches: ({ state }) => state === 'held', plan: 'needs-decision' },
  {
    found: 'reported-ahead',
    matches: (found) => isDone(found) && !found.named && found.reported === 'ahead',
    plan: 'reported-ahead',
  },
  {
    found: 'done',
    matches: (found) =>
      isDone(found) && (found.named || found.reported === 'never' || found.reported === 'within-window'),
    plan: 'replay',
  },
  { found: 'done-long-ago', matches: isDone, plan: 'new-after-done' },
  { found: 'declined', matches: ({ declined }) => declined, plan: 'declined' },
  {
    found: 'unnamed-not-done',
    matches: (found) => didNotHappen(found) && !found.named,
    plan: 'new',
  },
  { found: 'named-not-done', matches: didNotHappen, plan: 'again' },
] as const satisfies readonly RerunRow[];

function isForgottenMessage({ kind, named, pastKeyAge }: Found): boolean {
  return kind === 'message' && !named && pastKeyAge;
}

export function rerunRowFor(found: Found): RerunRow {
  const row = rerunTable.find(({ matches }) => matches(found));
  if (row === undefined) throw new Error('the re-run table has no row for what was found');
  return row;
}

export const rerunWindowMs: Readonly<Record<Kind, number>> = {
  transfer: 20 * 3_600_000,
  message: 2 * 60_000,
};
