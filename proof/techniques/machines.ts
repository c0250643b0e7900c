import type { Tally } from '../tally.ts';
import { playCrossed } from './machines/crossed.ts';
import { playCut } from './machines/cut.ts';
import { closeFleet, openFleet } from './machines/fleet.ts';
import { playKilled } from './machines/killed.ts';
import { playLost } from './machines/lost.ts';
import { playServerKilled } from './machines/serverKilled.ts';
import { playStopped } from './machines/stopped.ts';
import { playTogether } from './machines/together.ts';
import type { Arena, Technique } from './technique.ts';

/** First what needs no look at what a command does undisturbed. */
const parts = [playTogether, playStopped, playKilled, playCut, playServerKilled, playLost, playCrossed];

async function play(arena: Arena, tally: Tally): Promise<void> {
  const fleet = await openFleet(arena, tally);
  // Of a slice not more than two of them: each takes its time.
  const chosen = arena.share < 0.01 ? arena.dice.for('parts').sample(parts, 2) : parts;
  try {
    for (const part of chosen) {
      if (!tally.isEnough) await part(fleet);
    }
  } finally {
    await closeFleet(fleet);
  }
}

export const machines: Technique = { name: 'machines', title: '9. Many machines', play };
