import { type Exit, exitOf, type FailureCode } from '../errors.ts';

/** What can come of an order, once the journal was asked. The last three are about a twin of it. */
export type PlanKind =
  | 'new'
  | 'new-after-done'
  | 'leave-behind'
  | 'again'
  | 'resume'
  | 'replay'
  | 'wait'
  | 'needs-decision'
  | 'reported-ahead'
  | 'other-body'
  | 'other-bot'
  | 'other-url'
  | 'unknown-at-other-url'
  | 'held-at-other-url'
  | 'wait-for-twin'
  | 'unfinished-twin'
  | 'recently-done';

/** What a row of a batch is found to be, before anything is sent. */
type RowFinding =
  | { readonly is: 'new' | 'unfinished' | 'done' | 'held' | 'elsewhere' }
  | { readonly is: 'conflict'; readonly reason: string };

/** All that a kind of plan means. A new kind does not compile until all of it is said. */
export type PlanMeaning = {
  /** For those who run commands again. */
  readonly happens: string;
  /** For a dry run: is it a re-run, and of what? */
  readonly dryRun: string;
  /** What leaves this machine, if all goes well. */
  readonly sends: 'nothing' | 'what-was-found' | 'a-new-intent';
  /** Whether a twin of it, another payment like it, is looked for first. */
  readonly twinGuard: 'always' | 'if-nothing-left-yet' | 'never' | 'found-one';
  /** What a person is asked, where there is one to ask. */
  readonly asks: 'nothing' | 'send' | 'do-again' | 'send-anyway';
  /** What the person is told with the question. */
  readonly reminds: 'of-nothing' | 'of-doubt' | 'it-was-done' | 'when-last-done' | 'of-the-twin';
  /** How the command ends: as its intent does, well, or with this failure and without sending. */
  readonly ends: 'as-its-intent' | 'well' | FailureCode;
  /** Whether the same command under another name is suggested, for whoever means it as another one. */
  readonly suggestsName: boolean;
  readonly row: RowFinding;
};

export const planKinds = {
  new: {
    happens: 'a new intent with a new key',
    dryRun: 'no: it would be new',
    sends: 'a-new-intent',
    twinGuard: 'always',
    asks: 'send',
    reminds: 'of-nothing',
    ends: 'as-its-intent',
    suggestsName: false,
    row: { is: 'new' },
  },
  'new-after-done': {
    happens: 'a new intent; a notice (on a terminal, the question) says when the same was last done',
    dryRun: 'no: the same was done before, and it would be done again',
    sends: 'a-new-intent',
    twinGuard: 'always',
    asks: 'send',
    reminds: 'when-last-done',
    ends: 'as-its-intent',
    suggestsName: false,
    row: { is: 'new' },
  },
  'leave-behind': {
    happens: 'left behind with a notice, and a new intent begins',
    dryRun: 'no: an old undecided one would be left behind, and it would be new',
    sends: 'a-new-intent',
    twinGuard: 'never',
    asks: 'send',
    reminds: 'of-nothing',
    ends: 'as-its-intent',
    suggestsName: false,
    row: { is: 'new' },
  },
  again: {
    happens: 'the same key again; with a changed body only if it never may have happened',
    dryRun: 'yes: it did not happen before; the same key again',
    sends: 'what-was-found',
    twinGuard: 'always',
    asks: 'send',
    reminds: 'of-nothing',
    ends: 'as-its-intent',
    suggestsName: false,
    row: { is: 'new' },
  },
  resume: {
    happens: 'resumed with its stored key and stored bytes',
    dryRun: 'yes: it would be resumed with its stored key and bytes',
    sends: 'what-was-found',
    twinGuard: 'if-nothing-left-yet',
    asks: 'send',
    reminds: 'of-doubt',
    ends: 'as-its-intent',
    suggestsName: false,
    row: { is: 'unfinished' },
  },
  replay: {
    happens:
      'shown again from the journal: nothing is sent, and a notice says so and names --once. On a terminal, without --yes, an unnamed one asks whether to do it again',
    dryRun: 'yes: it was done; it would only be shown again',
    sends: 'nothing',
    twinGuard: 'never',
    asks: 'do-again',
    reminds: 'it-was-done',
    ends: 'well',
    suggestsName: true,
    row: { is: 'done' },
  },
  wait: {
    happens: 'waited for, --max-wait at most (then 9), and its outcome reported; never a second request',
    dryRun: 'yes: another process is sending it now',
    sends: 'nothing',
    twinGuard: 'never',
    asks: 'nothing',
    reminds: 'of-nothing',
    ends: 'as-its-intent',
    suggestsName: false,
    row: { is: 'elsewhere' },
  },
  'needs-decision': {
    happens: 'not sent; says which decision is needed',
    dryRun: 'yes: it is held; nothing would be sent',
    sends: 'nothing',
    twinGuard: 'never',
    asks: 'nothing',
    reminds: 'of-nothing',
    ends: 'held',
    suggestsName: false,
    row: { is: 'held' },
  },
  'reported-ahead': {
    happens: 'not sent; says that it needs a name',
    dryRun: 'it would not be sent: it was done at a time that this clock says is yet to come',
    sends: 'nothing',
    twinGuard: 'never',
    asks: 'nothing',
    reminds: 'of-nothing',
    ends: 'reported-ahead',
    suggestsName: true,
    row: { is: 'held' },
  },
  'other-body': {
    happens: 'not sent',
    dryRun: 'it would not be sent: the name belongs to another body',
    sends: 'nothing',
    twinGuard: 'never',
    asks: 'nothing',
    reminds: 'of-nothing',
    ends: 'other-body',
    suggestsName: false,
    row: { is: 'conflict', reason: 'the id belongs to another body, which may have happened' },
  },
  'other-bot': {
    happens: 'not sent',
    dryRun: 'it would not be sent: the name belongs to another bot',
    sends: 'nothing',
    twinGuard: 'never',
    asks: 'nothing',
    reminds: 'of-nothing',
    ends: 'other-bot',
    suggestsName: false,
    row: { is: 'conflict', reason: 'the id belongs to another bot' },
  },
  'other-url': {
    happens: 'not sent; names both base URLs',
    dryRun: 'it would not be sent: the name was used at another base URL of this service',
    sends: 'nothing',
    twinGuard: 'found-one',
    asks: 'nothing',
    reminds: 'of-nothing',
    ends: 'other-url',
    suggestsName: false,
    row: { is: 'conflict', reason: 'the id was used at another base URL of this service' },
  },
  'unknown-at-other-url': {
    happens: 'not sent; names both base URLs',
    dryRun: 'it would not be sent: the same name is unknown at another base URL of this service',
    sends: 'nothing',
    twinGuard: 'found-one',
    asks: 'nothing',
    reminds: 'of-nothing',
    ends: 'unknown',
    suggestsName: false,
    row: { is: 'held' },
  },
  'held-at-other-url': {
    happens: 'not sent; names both base URLs, and which decision is needed',
    dryRun: 'it would not be sent: the same name is held at another base URL of this service',
    sends: 'nothing',
    twinGuard: 'found-one',
    asks: 'nothing',
    reminds: 'of-nothing',
    ends: 'unfinished-twin',
    suggestsName: false,
    row: { is: 'held' },
  },
  'wait-for-twin': {
    happens: 'the twin is waited for, --max-wait at most; then the journal is asked again',
    dryRun: 'the same payment is being sent by another process; it would wait',
    sends: 'nothing',
    twinGuard: 'found-one',
    asks: 'nothing',
    reminds: 'of-nothing',
    ends: 'as-its-intent',
    suggestsName: false,
    row: { is: 'elsewhere' },
  },
  'unfinished-twin': {
    happens: 'not sent; names the twin, and says how to settle it',
    dryRun: 'it would not be sent: the same payment is not settled under another name',
    sends: 'nothing',
    twinGuard: 'found-one',
    asks: 'nothing',
    reminds: 'of-nothing',
    ends: 'unfinished-twin',
    suggestsName: false,
    row: { is: 'held' },
  },
  'recently-done': {
    happens: 'not sent; shows the twin, and the command under a name. On a terminal it asks instead',
    dryRun: 'it would not be sent: the same payment was made a while ago, and may be this one',
    sends: 'nothing',
    twinGuard: 'found-one',
    asks: 'send-anyway',
    reminds: 'of-the-twin',
    ends: 'recently-done',
    suggestsName: true,
    row: { is: 'held' },
  },
} as const satisfies Record<PlanKind, PlanMeaning>;

/** The kinds about the same name at another base URL. */
export type OtherUrlKind = Extract<PlanKind, `${string}other-url`>;

/** The kinds that end with a failure of their own. What is held is told as that intent's outcome instead. */
export type NotSentKind = {
  [Kind in PlanKind]: (typeof planKinds)[Kind]['ends'] extends Exclude<FailureCode, 'held'> ? Kind : never;
}[PlanKind];

/** The meaning of a plan, whatever its kind. */
export function meaningOf({ is }: { readonly is: PlanKind }): PlanMeaning {
  return planKinds[is];
}

/** The exit code; undefined where it is that of whatever the intent comes to. */
export function exitOfPlan({ ends }: PlanMeaning): Exit | undefined {
  if (ends === 'as-its-intent') return undefined;
  return ends === 'well' ? 0 : exitOf(ends);
}
