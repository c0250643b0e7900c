import { isAbsolute } from 'node:path';
import { badDuration, badPath, badRetries } from '../words/settings.ts';
import { parseDuration } from './duration.ts';
import type { SettingKey } from './settingKeys.ts';

/** What a profile may say about trying; an option of the command outranks it. What it may spend no option changes. */
export type Settings = {
  keyAgeMs?: number;
  timeoutMs?: number;
  retries?: number;
  maxWaitMs?: number;
  /** The file of its policy. */
  policy?: string;
};

export type SettingTexts = { readonly [key in SettingKey]?: string | undefined };

// A timer of Node cannot wait longer; it would fire at once.
const longestMs = 2_147_483_647;
const mostRetries = 100;

/** `where` names the field as its writer knows it: `--timeout`, or the key of a profile. */
function readDuration(where: string, text: string, leastMs: number): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= leastMs && ms <= longestMs) return ms;
  throw badDuration(where, text, ms === undefined ? 'no-duration' : ms < leastMs ? 'too-short' : 'too-long');
}

function readRetries(where: string, text: string): number {
  if (/^(0|[1-9]\d{0,2})$/u.test(text) && Number(text) <= mostRetries) return Number(text);
  throw badRetries(where, text, mostRetries);
}

/** Settings from their texts; whatever is not given stays absent. */
export function readSettings(texts: SettingTexts, nameOf: (key: SettingKey) => string): Settings {
  const settings: Settings = {};
  const { 'key-age': keyAge, timeout, retries, 'max-wait': maxWait, policy } = texts;
  if (keyAge !== undefined) settings.keyAgeMs = readDuration(nameOf('key-age'), keyAge, 0);
  if (timeout !== undefined) settings.timeoutMs = readDuration(nameOf('timeout'), timeout, 1);
  if (retries !== undefined) settings.retries = readRetries(nameOf('retries'), retries);
  if (maxWait !== undefined) settings.maxWaitMs = readDuration(nameOf('max-wait'), maxWait, 0);
  if (policy !== undefined) settings.policy = readPath(nameOf('policy'), policy);
  return settings;
}

/** A relative one would be another file in another folder. */
function readPath(where: string, text: string): string {
  if (isAbsolute(text)) return text;
  throw badPath(where, text);
}
