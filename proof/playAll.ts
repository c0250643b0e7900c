import type { Technique } from './arena.ts';
import type { Dice } from './dice.ts';
import { openLane } from './lane.ts';
import { startPace } from './pace.ts';
import type { Programs } from './programs.ts';
import { findingsText } from './table.ts';
import { Tally } from './tally.ts';

/** More lanes than cores: much of a run is waiting for disks and for time to pass. */
const lanesAtOnce = 6;

type Plan = {
  readonly techniques: readonly Technique[];
  readonly programs: Programs;
  readonly dice: Dice;
  readonly share: number;
  readonly lanes?: number;
  readonly hasSystemCalls?: boolean;
  /** So many findings are enough. */
  readonly mostFindings?: number;
  /** On stderr, unless somebody else is told. */
  readonly say?: (text: string) => void;
};

export async function playAll(plan: Plan): Promise<Tally[]> {
  const { programs, dice, share, say = console.error, mostFindings, hasSystemCalls = true } = plan;
  const pace = await startPace();
  const lanes = await Promise.all(Array.from({ length: plan.lanes ?? lanesAtOnce }, () => openLane()));
  const tallies: Tally[] = [];
  try {
    for (const { name, title, play } of plan.techniques) {
      const tally = new Tally(title, mostFindings);
      tallies.push(tally);
      const startedAt = performance.now();
      await play({ lanes, programs, dice: dice.for(name), pace, tally, share, hasSystemCalls });
      const { cases, findings, tooSlow } = tally;
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      say(
        `${title}: ${cases} cases, ${findings.length} findings, ${tooSlow.length} too slow, in ${seconds} s`,
      );
      // At once: a run that is ended later has not been for nothing.
      if (findings.length > 0) say(findingsText(findings));
      if (tally.isEnough) break;
    }
    return tallies;
  } finally {
    await Promise.all([pace.stop(), ...lanes.map((lane) => lane.close())]);
  }
}
