import type { Dice } from '../dice.ts';
import type { Lane } from '../lane.ts';
import type { Pace } from '../pace.ts';
import type { Programs } from '../programs.ts';
import type { Tally } from '../tally.ts';

export type Arena = {
  readonly lanes: readonly Lane[];
  readonly programs: Programs;
  readonly dice: Dice;
  readonly pace: Pace;
  /** 1 is the full run; less is that share of it, chosen by the dice. */
  readonly share: number;
  /** Whether single system calls are to be met, where the machine has the means. */
  readonly hasSystemCalls: boolean;
};

export type Technique = {
  /** As `--only` takes it. */
  readonly name: string;
  readonly title: string;
  play(arena: Arena, tally: Tally): Promise<void>;
};

/** Whether the share is so small that slow cases are left out or sampled. */
export function isSlice({ share }: Pick<Arena, 'share'>): boolean {
  return share < 0.05;
}

/** All items, or the requested share of them, but at least `least`. */
export function shareOf<Item>(
  items: readonly Item[],
  { share, dice }: Arena,
  label: string,
  least = 1,
): Item[] {
  if (share >= 1) return [...items];
  return dice.for(label).sample(items, Math.max(least, Math.ceil(items.length * share)));
}
