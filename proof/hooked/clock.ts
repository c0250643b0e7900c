import type { Env } from '../../src/machine/folders.ts';
import type { Clock } from '../../src/machine/process.ts';

/** `BOTCTL_PROOF_CLOCK`: `[[readings, offsetMs], …]`: after so many looks at the clock it is so far off. */
export function jumpingClock(clock: Clock, env: Env): Clock {
  const jumps = JSON.parse(env.BOTCTL_PROOF_CLOCK ?? '[]') as [number, number][];
  let looks = 0;
  return {
    sleep: (waitMs, signal) => clock.sleep(waitMs, signal),
    now: () => {
      const [, offsetMs] = jumps.findLast(([after]) => looks >= after) ?? [0, 0];
      looks += 1;
      return clock.now() + offsetMs;
    },
  };
}
