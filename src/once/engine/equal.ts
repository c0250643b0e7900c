import type { Bot } from '../connection.ts';
import { underEachName } from '../entry/assetNames.ts';
import { originOf } from '../entry/baseUrl.ts';
import type { Entry, Reads } from '../journal/journal.ts';
import type { Besides } from './context.ts';

export const equalWithinMs = 12 * 3_600_000;

/** A payment to make; `id` is its entry's. */
type ToPay = Pick<Entry, 'id' | 'baseUrl' | 'payment'>;

/**
 * The other entries that made the same payment in the last 12 hours, or may have made it, the latest first: the same
 * recipient, asset and amount at the same origin, for any bot. A message pays nothing.
 */
export async function equalPayments(
  { id, baseUrl, payment }: ToPay,
  { assetNames }: Pick<Bot, 'assetNames'>,
  reads: Pick<Reads, 'equalEntries' | 'rowsSince' | 'get'>,
  nowMs: number,
  { rows, ids = [] }: Besides = {},
): Promise<readonly Entry[]> {
  const [origin, sinceMs] = [originOf(baseUrl), nowMs - equalWithinMs];
  const payments = underEachName(payment, assetNames);
  const about = { id, batch: rows?.name ?? '', origin, sinceMs };
  // Together: on a server this is one round trip.
  const found = await Promise.all([
    ...payments.map((one) => reads.equalEntries({ ...about, payment: one })),
    rows?.paid(payments, origin, sinceMs, reads) ?? [],
  ]);
  const others = found.flat().filter((one) => !ids.includes(one.id));
  return others.sort((a, b) => (b.countsAtMs ?? 0) - (a.countsAtMs ?? 0));
}
