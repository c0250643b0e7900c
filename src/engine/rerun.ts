import type { Kind } from '../intent/wanted.ts';
import type { State } from '../journal/journal.ts';
import type { PlanKind } from './planKinds.ts';

/** What is known when a command meets an intent of its own identity. */
export type Found = {
  readonly kind: Kind;
  /** Whether the caller named it. */
  readonly named: boolean;
  readonly sameBot: boolean;
  readonly sameBody: boolean;
  readonly state: State;
  readonly tainted: boolean;
  readonly ownerAlive: boolean;
  readonly resolvedAs: 'happened' | 'did-not-happen' | undefined;
  /** When a command first told its outcome; `ahead`: by this clock, that is yet to come. */
  readonly reported: 'never' | 'within-window' | 'long-ago' | 'ahead';
  /** What may have landed is older than any memory of its key that can be relied on. */
  readonly pastKeyAge: boolean;
};

export type RerunRow = {
  readonly found: string;
  readonly matches: (found: Found) => boolean;
  readonly plan: PlanKind;
};

const didNotHappen = ({ state, tainted, resolvedAs }: Found): boolean =>
  (state === 'rejected' && !tainted) || (state === 'resolved' && resolvedAs === 'did-not-happen');
export const isDone = ({ state, resolvedAs }: Pick<Found, 'state' | 'resolvedAs'>): boolean =>
  state === 'accepted' || (state === 'resolved' && resolvedAs === 'happened');

/** Is this a re-run? First match, top to bottom. Without anything found it is not, and all is new. */
export const rerunTable = [
  {
    found: 'other-bot',
    matches: ({ named, sameBot }) => named && !sameBot,
    plan: 'other-bot',
  },
  {
    found: 'other-body',
    matches: (found) => found.named && !found.sameBody && !didNotHappen(found),
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
  {
    found: 'unnamed-not-done',
    matches: (found) => didNotHappen(found) && !found.named,
    plan: 'new',
  },
  {
    found: 'other-body-in-doubt',
    matches: ({ sameBody, tainted }) => !sameBody && tainted,
    plan: 'other-body',
  },
  { found: 'named-not-done', matches: didNotHappen, plan: 'again' },
] as const satisfies readonly RerunRow[];

/** What is found; in words in `words/plans.ts`. */
export type RerunFinding = (typeof rerunTable)[number]['found'];

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
