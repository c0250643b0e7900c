import type { Attempt, Decision, Intent, Observation, Receipt } from '../journal.ts';

/** All that a journal knows of one intent, to be put into another one. */
export type CopiedIntent = {
  readonly intent: Intent;
  readonly leftBehind: boolean;
  readonly attempts: readonly Attempt[];
  readonly decisions: readonly Decision[];
  readonly receipts: readonly Receipt[];
  readonly observations: readonly Observation[];
};

/** As many at a time: what is held of a journal is never more. */
export const pageLength = 200;

/** Where an intent stands. */
export type Standing = Pick<
  Intent,
  | 'state'
  | 'tainted'
  | 'mayHaveLandedAtMs'
  | 'tokenHash'
  | 'why'
  | 'resolvedAs'
  | 'attempts'
  | 'updatedAtMs'
  | 'reportedAtMs'
>;
