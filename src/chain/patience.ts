import type { Answer } from './node.ts';

/** The common pace of all questions: each waits for its turn, and one limit slows them all. */
type Pace = {
  turn(signal: AbortSignal): Promise<void>;
  limited(retryAfterMs: number | undefined): void;
};

const mostTries = 6;
const longestMs = 60_000;

/** Asks again where a node limits the rate, after as long as it says; what it says last is what counts. */
export function patiently(
  pace: Pace,
  interrupted: AbortSignal,
): (ask: () => Promise<Answer>) => Promise<Answer> {
  return async (ask) => {
    for (let tries = 1; ; tries += 1) {
      await pace.turn(interrupted);
      const answer = await ask();
      if (answer.is === 'answer' || answer.because !== 'rate-limited') return answer;
      if (tries === mostTries || (answer.waitMs ?? 0) > longestMs || interrupted.aborted) return answer;
      pace.limited(answer.waitMs);
    }
  };
}
