/** A token bucket: `capacity` requests at once, refilled at `per_second`. */
export type RateLimit = { capacity: number; per_second: number };
export type Bucket = { level: number; atMs: number };

type Taken = { allowed: true; bucket: Bucket } | { allowed: false; bucket: Bucket; waitMs: number };

export function takeOne(limit: RateLimit, bucket: Bucket | undefined, nowMs: number): Taken {
  const { level, atMs } = bucket ?? { level: limit.capacity, atMs: nowMs };
  // A clock that went back refills nothing.
  const refilled = (Math.max(0, nowMs - atMs) / 1000) * limit.per_second;
  const full = Math.min(limit.capacity, level + refilled);
  if (full >= 1) return { allowed: true, bucket: { level: full - 1, atMs: nowMs } };
  const waitMs = limit.per_second > 0 ? ((1 - full) / limit.per_second) * 1000 : 3_600_000;
  return { allowed: false, bucket: { level: full, atMs: nowMs }, waitMs };
}
