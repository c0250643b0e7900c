import type { Dice } from './dice.ts';
import { openLane } from './lane.ts';
import { startPaceOfMachine } from './pace.ts';
import type { Programs } from './programs.ts';
import { findingsText } from './table.ts';
import { type Finding, type Row, Tally } from './tally.ts';
import type { Technique } from './techniques/technique.ts';

/** More lanes than cores: much of a run is waiting for disks and for time to pass. */
const lanesAtOnce = 6;

type Played = { readonly rows: Row[]; readonly findings: Finding[] };

type Plan = {
  readonly techniques: readonly Technique[];
  readonly programs: Programs;
  readonly dice: Dice;
  readonly share: number;
  readonly lanes?: number;
  readonly hasSystemCalls?: boolean;
  /** So many findings are enough. */
  readonly mostFindings?: number;
  readonly say: (text: string) => void;
};

export async function playAll(plan: Plan): Promise<Played> {
  const { programs, dice, share, say, mostFindings, hasSystemCalls = true } = plan;
  const count = plan.lanes ?? lanesAtOnce;
  const pace = await startPaceOfMachine();
  const lanes = await Promise.all(Array.from({ length: count }, () => openLane()));
  const played: Played = { rows: [], findings: [] };
  try {
    for (const technique of plan.techniques) {
      const tally = new Tally(technique.title, mostFindings);
      const arena = { lanes, programs, dice: dice.for(technique.name), pace, share, hasSystemCalls };
      await technique.play(arena, tally);
      const row = tally.row();
      played.rows.push(row);
      played.findings.push(...tally.findings);
      say(`${toldOf(row)} in ${Math.round(row.tookMs / 1000)} s`);
      // At once: a run that is ended later has not been for nothing.
      if (tally.findings.length > 0) say(findingsText(tally.findings));
      if (tally.isEnough) break;
    }
    return played;
  } finally {
    await Promise.all([pace.stop(), ...lanes.map((lane) => lane.close())]);
  }
}

function toldOf({ technique, cases, duplicated, lost, wronglyReported, tooSlow }: Row): string {
  const slow = tooSlow === 0 ? '' : ` ${tooSlow} too slow to judge,`;
  return `${technique}: ${cases} cases, ${duplicated} duplicated, ${lost} lost, ${wronglyReported} wrongly reported,${slow}`;
}
