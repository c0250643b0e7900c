import { parseDuration } from '../bot/duration.ts';
import type { Until } from '../chain/watch.ts';
import type { Given } from '../cli/given.ts';
import { notAWait } from '../words/chain.ts';
import { notAWaitTimeout, waitTimeoutAlone } from '../words/chainOptions.ts';

export type WaitOptions = { readonly until: Until; readonly waitMs: number };

const defaultWaitMs = 120_000;

/** `--wait` and how long; undefined where nobody waits. */
export function waitOptions(given: Given): WaitOptions | undefined {
  const timeout = given.text('wait-timeout');
  if (!given.flag('wait')) {
    if (timeout !== undefined) throw waitTimeoutAlone();
    return undefined;
  }
  const until = given.text('wait') ?? 'finalized';
  if (until !== 'confirmed' && until !== 'finalized') throw notAWait(until);
  const waitMs = timeout === undefined ? defaultWaitMs : parseDuration(timeout);
  if (waitMs === undefined) throw notAWaitTimeout(timeout ?? '');
  return { until, waitMs };
}
