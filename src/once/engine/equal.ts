import type { Bot } from '../connection.ts';
import { underEachName } from '../entry/assetNames.ts';
import { originOf } from '../entry/baseUrl.ts';
import type { Entry, Reads } from '../journal/journal.ts';

export const equalWithinMs = 12 * 3_600_000;

/** A payment to make; `id` is its entry's. */
type ToPay = Pick<Entry, 'id' | 'baseUrl' | 'payment'>;

/**
 * Another entry that made the same payment in the last 12 hours, or may have made it: the same recipient, asset and
 * amount at the same origin, for any bot. Rows of `batch` are left out. A message pays nothing.
 */
export async function equalPayment(
  { id, baseUrl, payment }: ToPay,
  { assetNames }: Pick<Bot, 'assetNames'>,
  reads: Pick<Reads, 'equalPayment'>,
  nowMs: number,
  batch = '',
): Promise<Entry | undefined> {
  const about = { id, batch, origin: originOf(baseUrl), sinceMs: nowMs - equalWithinMs };
  // Together: on a server this is one round trip.
  const found = await Promise.all(
    underEachName(payment, assetNames).map((one) => reads.equalPayment({ ...about, payment: one })),
  );
  const latest = found.flatMap((one) => one ?? []).sort((a, b) => (b.countsAtMs ?? 0) - (a.countsAtMs ?? 0));
  return latest[0];
}

/** Whether it was paid since then, or may still be. */
export function mayPay({ state, countsAtMs }: Pick<Entry, 'state' | 'countsAtMs'>, sinceMs: number): boolean {
  if (countsAtMs === undefined) return false;
  return state === 'sending' || state === 'unknown' || state === 'held' || countsAtMs >= sinceMs;
}
