import { readSettings, type Settings } from '../bot/settings.ts';
import type { Given } from '../cli/given.ts';

export const defaultTimeoutMs = 30_000;
export const defaultMaxWaitMs = 60_000;

/** What the options say about trying; complains before anything else is asked. */
export function settingsOf(given: Given): Settings {
  const texts = {
    timeout: given.text('timeout'),
    retries: given.text('retries'),
    'max-wait': given.text('max-wait'),
  };
  return readSettings(texts, (key) => `--${key}`);
}
