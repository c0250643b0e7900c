import { isAbsolute } from 'node:path';
import type { Settings } from '../../once/connection.ts';
import { type Failure, failureWith } from '../../once/failures.ts';
import { isoDay } from '../../once/phrases.ts';
import type { Args, SettingKey } from '../parse/args.ts';

type SettingTexts = { readonly [key in SettingKey]?: string | undefined };

// Node's timers cannot wait longer: a longer one would fire at once.
const longestMs = 2_147_483_647;

/** `where` names the field as the user wrote it: `--timeout`, or the key of a profile. */
function readDuration(where: string, text: string, leastMs: number): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= leastMs && ms <= longestMs) return ms;
  throw badDuration(where, text, ms === undefined ? 'no-duration' : ms < leastMs ? 'too-short' : 'too-long');
}

/** Parses settings from their texts; a setting that is not given stays absent. */
export function readSettings(texts: SettingTexts, nameOf: (key: SettingKey) => string): Settings {
  const settings: Settings = {};
  const { timeout, 'max-wait': maxWait, policy } = texts;
  if (timeout !== undefined) settings.timeoutMs = readDuration(nameOf('timeout'), timeout, 1);
  if (maxWait !== undefined) settings.maxWaitMs = readDuration(nameOf('max-wait'), maxWait, 0);
  if (policy !== undefined) settings.policy = readPath(nameOf('policy'), policy);
  return settings;
}

/** The options for timeouts. */
export function settingsOf(args: Args): Settings {
  const texts = { timeout: args.text('timeout'), 'max-wait': args.text('max-wait') };
  return readSettings(texts, (key) => `--${key}`);
}

/** Refuses a relative path: it would name another file in another folder. */
export function readPath(where: string, text: string): string {
  if (isAbsolute(text)) return text;
  throw failureWith('bad-input')`${where} ${JSON.stringify(text)} is not an absolute path
    Write the whole path, starting with /.`;
}

const unitMs = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

type Unit = keyof typeof unitMs;

function isUnit(text: string | undefined): text is Unit {
  return text !== undefined && Object.hasOwn(unitMs, text);
}

/** Milliseconds, or undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(0|[1-9]\d{0,8})(ms|s|m|h)$/u.exec(text) ?? [];
  if (digits === undefined || !isUnit(unit)) return undefined;
  return Number(digits) * unitMs[unit];
}

/** A moment as an operator writes it: a time ago, or a point in time. */
export type Moment = { readonly agoMs: number } | { readonly atMs: number };

/** Whether a month, or a day without a time, means its first or its last millisecond, in UTC. */
type DayEdge = 'begins' | 'ends';

const dayMs = 24 * 3_600_000;

/** Undefined if the text is not a moment. */
export function parseMoment(text: string, edge: DayEdge): Moment | undefined {
  const [, count, unit] = /^(0|[1-9]\d{0,4})([dw])$/u.exec(text) ?? [];
  const agoMs = count === undefined ? parseDuration(text) : Number(count) * dayMs * (unit === 'w' ? 7 : 1);
  if (agoMs !== undefined) return { agoMs };
  const atMs = parseTime(text, edge);
  return atMs === undefined ? undefined : { atMs };
}

export function msOf(moment: Moment, nowMs: number): number {
  return 'atMs' in moment ? moment.atMs : nowMs - moment.agoMs;
}

const written =
  /^(?<month>\d{4}-\d{2})$|^(?<day>\d{4}-\d{2}-\d{2})(?:[T ](?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(?<zone>Z|[+-]\d{2}:\d{2})?)?$/u;

function parseTime(text: string, edge: DayEdge): number | undefined {
  const { month, day = `${month}-01`, time, zone } = written.exec(text)?.groups ?? {};
  if (!isDay(day)) return undefined;
  const ms = Date.parse(`${day}T${time ?? '00:00'}${zone ?? 'Z'}`);
  if (Number.isNaN(ms)) return undefined;
  if (time !== undefined || edge === 'begins') return ms;
  return nextMidnight(day, month !== undefined) - 1;
}

/** Midnight at the end of the day, or of the month. */
function nextMidnight(text: string, isMonth: boolean): number {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return Date.UTC(year, isMonth ? month : month - 1, isMonth ? 1 : day + 1);
}

/** `Date.parse` accepts 30 February and returns a day in March. */
function isDay(date: string): boolean {
  const ms = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(ms) && isoDay(ms) === date;
}

const durationRule = 'a whole number followed by ms, s, m or h: 500ms, 30s, 5m, 24h';

const durationProblems = {
  'no-duration': 'is not a duration',
  'too-short': 'is too short',
  'too-long': 'is too long',
} as const;

/** `where` names the field as the user wrote it: `--timeout`, or the key of a profile. */
function badDuration(where: string, text: string, problem: keyof typeof durationProblems): Failure {
  return failureWith('bad-input')`${where} ${JSON.stringify(text)} ${durationProblems[problem]}
    Write ${durationRule}; at most 596h.`;
}
