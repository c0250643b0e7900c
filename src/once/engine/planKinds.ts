import type { Entry } from '../journal/journal.ts';
import { isDone, mayHaveTakenEffect } from './standing.ts';

/**
 * Everything that a plan means; its words are in `cli/run/dryRun.ts`. A new plan compiles only when all fields are set.
 */
export type PlanMeaning = {
  /** What this machine sends, if all goes well. */
  readonly sends: 'nothing' | 'what-was-found' | 'a-new-entry';
  /** What a person is asked, if there is one to ask. */
  readonly asks: 'nothing' | 'send' | 'do-again';
};

export const planKinds = {
  /** The name stands for another bot, or another body. */
  'name-taken': { sends: 'nothing', asks: 'nothing' },
  /** Its owner is sending it: wait, then look again. */
  wait: { sends: 'nothing', asks: 'nothing' },
  /** In doubt: a person must decide before it is sent again. */
  hold: { sends: 'nothing', asks: 'nothing' },
  /** In doubt: sent again with the same key and the same bytes. */
  retry: { sends: 'what-was-found', asks: 'send' },
  'needs-decision': { sends: 'nothing', asks: 'nothing' },
  /** Reported again from the journal. */
  'already-done': { sends: 'nothing', asks: 'do-again' },
  /** Sent with the same key, and with the bot and the body given now. */
  'send-same-key': { sends: 'what-was-found', asks: 'send' },
  'new-entry': { sends: 'a-new-entry', asks: 'send' },
} as const satisfies Record<string, PlanMeaning>;

export type PlanKind = keyof typeof planKinds;

export function meaningOf({ is }: { readonly is: PlanKind }): PlanMeaning {
  return planKinds[is];
}

/** What is known when a command finds an entry of its own identity. */
export type RerunFacts = Pick<Entry, 'kind' | 'state' | 'wasInDoubt' | 'resolvedAs'> & {
  readonly named: boolean;
  readonly sameBot: boolean;
  readonly sameBody: boolean;
  readonly ownerAlive: boolean;
  /** People have seen its body, so the body never changes. */
  readonly decided: boolean;
  readonly reported: boolean;
  /** Its latest attempt that may have paid was in the last 12 hours, or later than now. */
  readonly recent: boolean;
  /** In doubt, and either too old to send again or a payment last sent with another token. */
  readonly holds: boolean;
};

const startsAgain = ({ named, state, resolvedAs }: RerunFacts): boolean =>
  state === 'open' || resolvedAs === 'did-not-happen' || (named && state === 'rejected');

/** Is this a re-run? The first row that fits decides. If nothing was found, a new entry begins. */
const rerunTable: readonly (readonly [fits: (facts: RerunFacts) => boolean, plan: PlanKind])[] = [
  [
    (facts) =>
      facts.named &&
      !(facts.sameBot && facts.sameBody) &&
      !(startsAgain(facts) && !facts.wasInDoubt && !facts.decided),
    'name-taken',
  ],
  [({ state, ownerAlive }) => state === 'sending' && ownerAlive, 'wait'],
  [(facts) => mayHaveTakenEffect(facts) && facts.holds, 'hold'],
  [mayHaveTakenEffect, 'retry'],
  [({ state }) => state === 'held' || state === 'declined', 'needs-decision'],
  [
    (facts) =>
      isDone(facts) && (facts.named || !facts.reported || (facts.kind === 'transfer' && facts.recent)),
    'already-done',
  ],
  [startsAgain, 'send-same-key'],
  [() => true, 'new-entry'],
];

export function planFor(facts: RerunFacts): PlanKind {
  return rerunTable.find(([fits]) => fits(facts))?.[1] ?? 'new-entry';
}
