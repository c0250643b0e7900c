import { isSlice, type Technique } from '../arena.ts';
import { playCrossed, playCut } from './machines/cut.ts';
import { closeFleet, openFleet } from './machines/fleet.ts';
import { playKilled, playStopped } from './machines/killed.ts';
import { playLost } from './machines/lost.ts';
import { playTogether } from './machines/together.ts';

/** Parts that need no observation of an undisturbed command come first. */
const parts = [playTogether, playLost, playStopped, playKilled, playCut, playCrossed];

export const machines: Technique = {
  name: 'machines',
  title: '9. Many machines',
  play: async (arena) => {
    const few = isSlice(arena);
    const fleet = await openFleet({ ...arena, lanes: few ? arena.lanes.slice(0, 1) : arena.lanes });
    try {
      // Of a slice not more than two parts, on one server: each takes its time.
      for (const play of few ? arena.dice.for('parts').sample(parts, 2) : parts) {
        if (!arena.tally.isEnough) await play(fleet);
      }
    } finally {
      await closeFleet(fleet);
    }
  },
};
