export type Limits = {
  readonly retries: number;
  readonly maxWaitMs: number;
};

export type Tried = {
  /** Attempts made in this run. */
  readonly attempts: number;
  /** Waited so far in this run. */
  readonly waitedMs: number;
  /** What the service asked for, if it asked. */
  readonly retryAfterMs: number | undefined;
};

export type Pause =
  | { readonly is: 'wait'; readonly waitMs: number }
  | { readonly is: 'stop'; readonly because: 'no-tries-left' }
  | { readonly is: 'stop'; readonly because: 'would-wait-too-long'; readonly waitMs: number };

const firstStepMs = 500;
const longestStepMs = 20_000;

/** Full jitter over an exponential step; what the service asks for is obeyed even where it is longer. */
export function nextPause(tried: Tried, limits: Limits, fraction: number): Pause {
  if (tried.attempts > limits.retries) return { is: 'stop', because: 'no-tries-left' };
  const stepMs = Math.min(longestStepMs, firstStepMs * 2 ** (tried.attempts - 1));
  const jitterMs = Math.round(stepMs * fraction);
  const waitMs = Math.max(jitterMs, tried.retryAfterMs ?? 0);
  if (tried.waitedMs + waitMs > limits.maxWaitMs) {
    return { is: 'stop', because: 'would-wait-too-long', waitMs };
  }
  return { is: 'wait', waitMs };
}
