import type { Bot } from '../connection.ts';
import { type AssetNames, underEachName } from '../entry/assetNames.ts';
import { originOf } from '../entry/baseUrl.ts';
import type { Entry, Reads } from '../journal/journal.ts';
import type { Besides } from './context.ts';

export const equalWithinMs = 12 * 3_600_000;

/** A payment to make. `id` is the id of its entry. */
type ToPay = Pick<Entry, 'id' | 'baseUrl' | 'payment'>;

/**
 * The other entries that made the same payment in the last 12 hours, or may have made it, the latest first: the same
 * recipient, asset and amount at the same origin, for any bot. A message pays nothing.
 */
export async function equalPayments(
  { id, baseUrl, payment }: ToPay,
  { assetNames }: Pick<Bot, 'assetNames'>,
  reads: Pick<Reads, 'equalEntries' | 'rowsSince'>,
  nowMs: number,
  besides: Besides = {},
): Promise<readonly Entry[]> {
  if (payment === undefined || besides === 'all') return [];
  const { rows, ids = [] } = besides;
  const batch = rows === undefined || (await rows.haveOthers(reads)) ? '' : rows.name;
  const equal = await equalSince({ id, baseUrl, payment }, assetNames, nowMs - equalWithinMs, reads, batch);
  const others = equal.filter((one) => !ids.includes(one.id) && rows?.isOwn(one.key) !== true);
  return others.sort((a, b) => (b.countsAtMs ?? 0) - (a.countsAtMs ?? 0));
}

/** The other entries of the same payment, under any name of its asset, except the rows of `batch`. */
export async function equalSince(
  { id, baseUrl, payment }: ToPay,
  assetNames: AssetNames | undefined,
  sinceMs: number,
  reads: Pick<Reads, 'equalEntries'>,
  batch = '',
): Promise<readonly Entry[]> {
  const about = { id, batch, origin: originOf(baseUrl), sinceMs };
  // Together: on a server this is one round trip.
  const pages = await Promise.all(
    underEachName(payment, assetNames).map((one) => reads.equalEntries({ ...about, payment: one })),
  );
  return pages.flat();
}
