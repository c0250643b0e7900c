import type { Reason } from './reason.ts';
import type { ChainTransaction } from './transaction.ts';

/** What is known of an intent's beginning: a transaction from before it is another payment. */
export type Beginning = {
  /** When its first attempt began. */
  readonly atMs: number;
  /** How far the chain was finalized before that, where a node was asked then. */
  readonly slot: number | undefined;
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

/** When a transaction was, beside an intent's beginning: by the chain's own slots where they are known, else by clocks. */
export function ageOf(
  { slot, blockTimeS }: Pick<ChainTransaction, 'slot' | 'blockTimeS'>,
  nodesMs: readonly number[],
  { atMs, slot: slotBefore, mayBeEarlier, nowMs }: Beginning,
): Age {
  const timeMs = blockTimeS === undefined ? undefined : 1000 * blockTimeS;
  if (slotBefore !== undefined && slot > slotBefore)
    return timeMs !== undefined && timeMs > Math.max(nowMs, ...nodesMs) + graceMs ? 'other-time' : 'in-time';
  const isOlder = slotBefore !== undefined;
  if (isOlder && !mayBeEarlier) return 'other-time';
  if (timeMs === undefined) return isOlder ? 'other-time' : 'no-time';
  if (nodesMs.some((nodeMs) => Math.abs(nodeMs - nowMs) > graceMs)) return 'clock';
  if (timeMs > nowMs + graceMs) return 'other-time';
  if (!isOlder && timeMs >= atMs - graceMs) return 'in-time';
  return mayBeEarlier && timeMs >= atMs - earlierMs ? 'earlier' : 'other-time';
}
