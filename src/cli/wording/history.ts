import { type Failure, failureWith } from '../../once/failures.ts';
import type { DecisionKind, Resolution } from '../../once/journal/journal.ts';

/** How to write a moment, for the help and for errors. */
export const momentRule =
  'how long ago (30m, 24h, 2d, 1w), a month (2026-11), a day (2026-11-30), or a time (2026-11-30T12:00Z)';

export function notAMoment(option: 'since' | 'until', value: string): Failure {
  return failureWith('usage')`--${option} "${value}" is not a time.
    Write ${momentRule}.`;
}

/** How a person decided. */
export function resolvedWay(resolvedAs: Resolution): string {
  return resolvedAs === 'did-not-happen' ? 'did not happen' : resolvedAs;
}

/** What a person did to an entry. */
export const didWords: Readonly<Record<DecisionKind, string>> = {
  happened: 'decided that it happened',
  'did-not-happen': 'decided that it did not happen',
  declined: 'declined it',
  'send-again': 'had it sent again',
  proposed: 'asked for approval',
  approved: 'approved it',
};
