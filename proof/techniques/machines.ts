import type { Tally } from '../tally.ts';
import { playCrossed } from './machines/crossed.ts';
import { playCut } from './machines/cut.ts';
import { closeFleet, openFleet } from './machines/fleet.ts';
import { playKilled } from './machines/killed.ts';
import { playLost } from './machines/lost.ts';
import { playServerKilled } from './machines/serverKilled.ts';
import { playStopped } from './machines/stopped.ts';
import { playTogether } from './machines/together.ts';
import { type Arena, isSlice, type Technique } from './technique.ts';

/** Parts that need no observation of an undisturbed command come first. */
const parts = {
  together: playTogether,
  stopped: playStopped,
  killed: playKilled,
  cut: playCut,
  serverKilled: playServerKilled,
  lost: playLost,
  crossed: playCrossed,
};
type Part = keyof typeof parts;
const names = Object.keys(parts) as Part[];

async function playThese(chosen: readonly Part[], arena: Arena, tally: Tally): Promise<void> {
  const lanes = isSlice(arena) ? arena.lanes.slice(0, 1) : arena.lanes;
  const fleet = await openFleet({ ...arena, lanes }, tally);
  try {
    for (const part of chosen) {
      if (!tally.isEnough) await parts[part](fleet);
    }
  } finally {
    await closeFleet(fleet);
  }
}

/** Of a slice not more than two parts, on one server: each takes its time. */
function play(arena: Arena, tally: Tally): Promise<void> {
  return playThese(isSlice(arena) ? arena.dice.for('parts').sample(names, 2) : names, arena, tally);
}

const title = '9. Many machines';

export const machines: Technique = { name: 'machines', title, play };

/** Each part by itself, for what only that part can find. */
export const partsOfMachines: readonly Technique[] = names.map((part) => ({
  name: `machines/${part}`,
  title: `${title}, ${part}`,
  play: (arena, tally) => playThese([part], arena, tally),
}));
