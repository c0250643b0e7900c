import type { Tally } from '../tally.ts';
import { playCopied } from './machines/copied.ts';
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
const parts = [
  playTogether,
  playStopped,
  playKilled,
  playCut,
  playCopied,
  playServerKilled,
  playLost,
  playCrossed,
];

async function play(arena: Arena, tally: Tally): Promise<void> {
  const few = isSlice(arena);
  // Of a slice not more than two of them, on one server: each takes its time.
  const chosen = few ? arena.dice.for('parts').sample(parts, 2) : parts;
  const fleet = await openFleet(few ? { ...arena, lanes: arena.lanes.slice(0, 1) } : arena, tally);
  try {
    for (const part of chosen) {
      if (!tally.isEnough) await part(fleet);
    }
  } finally {
    await closeFleet(fleet);
  }
}

export const machines: Technique = { name: 'machines', title: '9. Many machines', play };
