import { isSlice, type Technique } from '../arena.ts';
import { playCrossed, playCut } from './machines/cut.ts';
import { closeFleet, openFleet } from './machines/fleet.ts';
import { playKilled, playStopped } from './machines/killed.ts';
import { playLost } from './machines/lost.ts';
import { playTogether } from './machines/together.ts';

/** A loss leaves entries in doubt where nobody asks again: it comes after all that resumes whatever there is. */
const parts = [playTogether, playStopped, playKilled, playCut, playLost, playCrossed];

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
