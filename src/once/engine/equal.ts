import type { Bot } from '../connection.ts';
import { originOf } from '../intent/baseUrl.ts';
import { spellingsOfPayment } from '../intent/spellings.ts';
import type { Intent, Reads } from '../journal/journal.ts';

export const equalWithinMs = 12 * 3_600_000;

/** A payment to make; `id` is its entry's. */
type ToPay = Pick<Intent, 'id' | 'baseUrl' | 'payment'>;

/**
 * Another entry that made the same payment in the last 12 hours, or may have made it: the same recipient, asset and
 * amount at the same origin, for any bot. Rows of `batch` are left out. A message pays nothing.
 */
export async function equalPayment(
  { id, baseUrl, payment }: ToPay,
  { spellings }: Pick<Bot, 'spellings'>,
  reads: Pick<Reads, 'equalPayment'>,
  nowMs: number,
  batch = '',
): Promise<Intent | undefined> {
  const about = { id, batch, origin: originOf(baseUrl), sinceMs: nowMs - equalWithinMs };
  // Together: on a server this is one round trip.
  const found = await Promise.all(
    spellingsOfPayment(payment, spellings).map((one) => reads.equalPayment({ ...about, payment: one })),
  );
  return found.find((one) => one !== undefined);
}

/** Whether it was paid since then, or may still be. */
export function mayPay(
  { state, countsAtMs }: Pick<Intent, 'state' | 'countsAtMs'>,
  sinceMs: number,
): boolean {
  if (countsAtMs === undefined) return false;
  return state === 'sending' || state === 'unknown' || state === 'held' || countsAtMs >= sinceMs;
}
