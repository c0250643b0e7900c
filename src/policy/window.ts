import { hourMs, hourOf } from '../intent/hours.ts';

export const windowMs = 24 * hourMs;

/** What was spent, by the hour in which it was claimed. */
export type SpentByHour = ReadonlyMap<number, bigint>;

/** The first hour that counts, and it counts whole. What was claimed in the future counts too. */
export function oldestHour(nowMs: number): number {
  return hourOf(nowMs - windowMs);
}

export function spentWithin(spent: SpentByHour, nowMs: number): bigint {
  const oldest = oldestHour(nowMs);
  let sum = 0n;
  for (const [hour, units] of spent) if (hour >= oldest) sum += units;
  return sum;
}

/** When enough of it is too old to count for this to be allowed; never, where it is more than the limit itself. */
export function freeAtMs(
  spent: SpentByHour,
  limit: bigint,
  units: bigint,
  nowMs: number,
): number | undefined {
  const oldest = oldestHour(nowMs);
  const counted = [...spent].filter(([hour]) => hour >= oldest).sort(([one], [other]) => one - other);
  let left = spentWithin(spent, nowMs);
  for (const [hour, spentThen] of counted) {
    left -= spentThen;
    if (left + units <= limit) return (hour + 1) * hourMs + windowMs;
  }
  return undefined;
}
