import type { Outcome } from '../once/engine/outcome.ts';
import {
  isApprovedAndUnsent,
  isBeingSent,
  isDone,
  isProposal,
  mayHaveTakenEffect,
  type Stands,
} from '../once/engine/standing.ts';

/**
 * The states of a row: that of its entry, or why it has none. Reports use these words, and JSON counts rows by them.
 * The words for people are in `cli/wording/rows.ts`.
 */
export const rowStates = [
  'done',
  'unknown',
  'sending',
  'waiting',
  'approved',
  'held',
  'taken',
  'rejected',
  'declined',
  'not-sent',
  'paid-already',
  'invalid',
  'unread',
] as const;

export type RowState = (typeof rowStates)[number];

/** What a run will do with a row: send it, or leave it in this state. */
export type RowAhead = 'to-send' | RowState;

/** The number of rows for each. */
export type RowCounts = Readonly<Record<RowAhead, number>>;

export function countRows(groups: Iterable<readonly [state: RowAhead, rows: number]>): RowCounts {
  const none = ['to-send' as const, ...rowStates].map((state) => [state, 0]);
  const counts = Object.fromEntries(none) as Record<RowAhead, number>;
  for (const [state, rows] of groups) counts[state] += rows;
  return counts;
}

/** The state of a row from its own entry. */
export function stateByEntry(entry: Stands): RowState {
  if (isDone(entry)) return 'done';
  if (isBeingSent(entry)) return 'sending';
  if (mayHaveTakenEffect(entry)) return 'unknown';
  if (isProposal(entry)) return 'waiting';
  if (isApprovedAndUnsent(entry)) return 'approved';
  const { state } = entry;
  // An entry resolved as not happened is sent again by the same command.
  return state === 'held' || state === 'rejected' || state === 'declined' ? state : 'not-sent';
}

/** The state of a row after this run has ended it. */
export function stateAfter(outcome: Outcome): RowState {
  switch (outcome.is) {
    case 'concluded':
      return stateByEntry(outcome.entry);
    case 'still-sending':
      return 'sending';
    case 'not-sent':
      if (outcome.because === 'refused') return 'not-sent';
      return outcome.because === 'paid-already' ? 'paid-already' : 'taken';
    case 'not-recorded':
      return 'unknown';
  }
}
