/** A moment, to the second. */
export function iso(ms: number): string {
  return isoExact(ms).replace(/\.\d+Z$/u, 'Z');
}

/** Where a person's times are shown: everywhere the same, or as the clock on the wall. */
export type Zone = 'utc' | 'local';

/** A moment, to the second, with its offset where it is not UTC. */
export function isoIn(zone: Zone, ms: number): string {
  if (zone === 'utc') return iso(ms);
  const aheadMin = -new Date(ms).getTimezoneOffset();
  const offset = new Date(Math.abs(aheadMin) * 60_000).toISOString().slice(11, 16);
  return iso(ms + aheadMin * 60_000).replace('Z', `${aheadMin < 0 ? '-' : '+'}${offset}`);
}

/** A moment as JSON gives it, to the millisecond. */
export function isoExact(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoDay(ms: number): string {
  return isoExact(ms).slice(0, 10);
}

export function isoMonth(ms: number): string {
  return isoExact(ms).slice(0, 7);
}

/** How long something takes, as people say it. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} min${and(seconds % 60, 's')}`
    : `${Math.floor(seconds / 3600)} h${and(Math.floor((seconds % 3600) / 60), 'min')}`;
}

function and(count: number, unit: string): string {
  return count === 0 ? '' : ` ${count} ${unit}`;
}

/** The wait before another try: often less than a second. */
export function formatPause(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** How one clock stands to another, before that other's name. */
export function formatClockOffset(aheadMs: number): string {
  // A Date header has whole seconds: less than two say nothing.
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  if (seconds < 2) return 'agrees with';
  return `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
