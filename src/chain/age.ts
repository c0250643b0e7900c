import type { Reason } from './reason.ts';
import type { ChainTransaction } from './transaction.ts';

/** How far a chain had come before an intent's first attempt: what is final at this slot is older. */
export type ChainBefore = {
  readonly slot: number;
  /** When that was by the node's own clock, where it told. */
  readonly nodeMs: number | undefined;
};

/** What is known of an intent's beginning: a transaction from before it is another payment. */
export type Beginning = {
  /** When its first attempt began. */
  readonly atMs: number;
  /** Known where a node was asked before that. */
  readonly before: ChainBefore | undefined;
  /** Another machine may have paid a little earlier under the same key, and this journal need not know. */
  readonly mayBeEarlier: boolean;
  readonly nowMs: number;
};

export type Age = 'in-time' | 'earlier' | (Reason & ('other-time' | 'clock' | 'no-time'));

const hourMs = 3_600_000;
/** A cluster's clock once ran half an hour behind, and machines' clocks drift. */
export const graceMs = 2 * hourMs;
/** As long as a transfer's re-run window: no daily payment fits in. */
const earlierMs = 20 * hourMs;

/**
 * When a transaction was, beside an intent's beginning. A slot shows that it is older, and not that it is newer: the
 * node may have lagged. The node's own clock, where it was heard of before the first attempt, spares this machine's.
 */
export function ageOf(
  { slot, blockTimeS }: Pick<ChainTransaction, 'slot' | 'blockTimeS'>,
  nodesMs: readonly number[],
  { atMs, before, mayBeEarlier, nowMs }: Beginning,
): Age {
  const isOlder = before !== undefined && slot <= before.slot;
  if (isOlder && !mayBeEarlier) return 'other-time';
  if (blockTimeS === undefined) return isOlder ? 'other-time' : 'no-time';
  const byNode = before?.nodeMs !== undefined && nodesMs.length > 0;
  if (!byNode && nodesMs.some((nodeMs) => Math.abs(nodeMs - nowMs) > graceMs)) return 'clock';
  const timeMs = 1000 * blockTimeS;
  if (timeMs > (byNode ? Math.max(...nodesMs) : nowMs) + graceMs) return 'other-time';
  const beganMs = (byNode ? before?.nodeMs : undefined) ?? atMs;
  if (!isOlder && timeMs >= beganMs - graceMs) return 'in-time';
  return mayBeEarlier && timeMs >= beganMs - earlierMs ? 'earlier' : 'other-time';
}
