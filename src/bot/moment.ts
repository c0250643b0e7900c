import { isoDay } from '../words/time.ts';
import { parseDuration } from './duration.ts';

/** A moment as an operator names it: so long ago, or at a time. */
export type Moment = { readonly agoMs: number } | { readonly atMs: number };

/** A day without a time begins, or ends, at midnight: in UTC, or where this machine is. */
type DayEdge = { readonly edge: 'begins' | 'ends'; readonly isLocal: boolean };

const dayMs = 24 * 3_600_000;

/** Nothing where the text is not a moment. */
export function parseMoment(text: string, day: DayEdge): Moment | undefined {
  const [, days] = /^(0|[1-9]\d{0,4})d$/u.exec(text) ?? [];
  const agoMs = days === undefined ? parseDuration(text) : Number(days) * dayMs;
  if (agoMs !== undefined) return { agoMs };
  const atMs = parseTime(text, day);
  return atMs === undefined ? undefined : { atMs };
}

const written =
  /^(?<date>\d{4}-\d{2}-\d{2})(?:[T ](?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(?<zone>Z|[+-]\d{2}:\d{2})?)?$/u;

function parseTime(text: string, { edge, isLocal }: DayEdge): number | undefined {
  const { date, time, zone } = written.exec(text)?.groups ?? {};
  if (date === undefined || !isDay(date)) return undefined;
  const ms = Date.parse(`${date}T${time ?? '00:00'}${zone ?? (isLocal ? '' : 'Z')}`);
  if (Number.isNaN(ms)) return undefined;
  if (time !== undefined || edge === 'begins') return ms;
  return nextMidnight(ms, isLocal) - 1;
}

/** A day is not always 24 hours long. */
function nextMidnight(ms: number, isLocal: boolean): number {
  if (!isLocal) return ms + dayMs;
  const date = new Date(ms);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}

/** JavaScript takes the 30th of February for the 2nd of March. */
function isDay(date: string): boolean {
  const ms = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(ms) && isoDay(ms) === date;
}
