import type { EngineContext } from './context.ts';

const firstStepMs = 500;
const longestStepMs = 20_000;

/**
 * How long to wait for the next try; undefined where tries end. Full jitter over an exponential step; what the
 * service asks for is obeyed even where it is longer.
 */
export function nextPauseMs(
  tried: {
    readonly attempts: number;
    /** Since the first of them ended, later flights included. */
    readonly sinceFirstMs: number;
    /** What the service asked for, if it asked. */
    readonly retryAfterMs: number | undefined;
  },
  limits: Pick<EngineContext['limits'], 'retries' | 'maxWaitMs'>,
  fraction: number,
): number | undefined {
  const stepMs = Math.min(longestStepMs, firstStepMs * 2 ** (tried.attempts - 1));
  const waitMs = Math.max(Math.round(stepMs * fraction), tried.retryAfterMs ?? 0);
  const isLast = limits.retries !== undefined && tried.attempts > limits.retries;
  return isLast || tried.sinceFirstMs + waitMs > limits.maxWaitMs ? undefined : waitMs;
}
