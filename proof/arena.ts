import type { Home } from '../test/support/home.ts';
import type { Dice } from './dice.ts';
import type { Lane } from './lane.ts';
import { type Pace, playAtPace } from './pace.ts';
import type { Programs } from './programs.ts';
import type { Tally } from './tally.ts';

export type Arena = {
  readonly lanes: readonly Lane[];
  readonly programs: Programs;
  readonly dice: Dice;
  readonly pace: Pace;
  readonly tally: Tally;
  /** 1 is the full run; less is that share of it, chosen by the dice. */
  readonly share: number;
  /** Whether single system calls are to be met, where the machine has the means. */
  readonly hasSystemCalls: boolean;
  /** Here a journal may well be called busy, or refuse what came back. */
  readonly isDiskFailing?: true;
  /** The journal is on a server, which may be away. */
  readonly isShared?: true;
};

/** What one case is played on. Its tally counts this case alone. */
export type Stage = Arena & {
  readonly lane: Lane;
  /** A machine that has never seen a command, and is removed with the case. */
  machine(): Home;
};

export type Technique = {
  /** As `--only` takes it. */
  readonly name: string;
  readonly title: string;
  play(arena: Arena): Promise<void>;
};

/** Plays every item, each in a free lane, and stops early after enough findings. */
export async function playEach<Item>(
  arena: Arena,
  items: Iterable<Item>,
  play: (item: Item, stage: Stage) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  await Promise.all(
    arena.lanes.map(async (lane) => {
      for (let next = queue.next(); !next.done && !arena.tally.isEnough; next = queue.next()) {
        const { value } = next;
        await playIn(lane, arena, (stage) => play(value, stage));
      }
    }),
  );
}

/** Plays one thing, in the first lane. */
export function playOne<Result>(arena: Arena, play: (stage: Stage) => Promise<Result>): Promise<Result> {
  const [lane] = arena.lanes;
  if (lane === undefined) throw new Error('no lane');
  return playIn(lane, arena, play);
}

/** What the machine was too slow for is played again, so what a play finds goes to a tally of its own. */
function playIn<Result>(lane: Lane, arena: Arena, play: (stage: Stage) => Promise<Result>): Promise<Result> {
  return playAtPace(arena.pace, arena.tally, async (tally) => {
    const homes: Home[] = [];
    const machine = (): Home => {
      const home = lane.home();
      homes.push(home);
      return home;
    };
    try {
      return await play({ ...arena, lane, tally, machine });
    } finally {
      for (const home of homes) home.remove();
    }
  });
}

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
