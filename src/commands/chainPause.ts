const longestPauseMs = 2000;

/** The next pause between two looks at a chain. */
export function asksAgainAfterMs(pauseMs: number): number {
  return Math.min(longestPauseMs, 2 * pauseMs);
}
