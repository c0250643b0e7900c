import { type Lane, overLanes } from '../../lane.ts';
import { playAtPace } from '../../pace.ts';
import type { Stage } from '../../play.ts';
import type { Tally } from '../../tally.ts';
import type { Arena } from '../technique.ts';
import type { Deed } from './deed.ts';
import { type Harbour, openHarbour } from './harbour.ts';
import { Scene } from './scene.ts';

/** A harbour for each lane, and what is played there. */
export type Fleet = {
  readonly arena: Arena;
  readonly tally: Tally;
  readonly harbours: ReadonlyMap<Lane, Harbour>;
  /** What a command does undisturbed, by its errand: looked at once. */
  readonly seen: Map<string, Promise<unknown>>;
};

export async function openFleet(arena: Arena, tally: Tally): Promise<Fleet> {
  const opened = await Promise.all(
    arena.lanes.map(async (lane) => [lane, await openHarbour(lane, arena.programs.plain)] as const),
  );
  return { arena, tally, harbours: new Map(opened), seen: new Map() };
}

export async function closeFleet({ harbours }: Fleet): Promise<void> {
  await Promise.all([...harbours.values()].map((harbour) => harbour.close()));
}

/** Plays every item once, each in a free harbour. */
export async function overFleet<Item>(
  { arena, tally, harbours }: Fleet,
  items: Iterable<Item>,
  play: (item: Item, harbour: Harbour, stage: Stage) => Promise<void>,
): Promise<void> {
  await overLanes(arena, tally, items, async (item, lane, own) => {
    const harbour = harbours.get(lane);
    if (harbour === undefined) throw new Error('a lane without a harbour');
    await play(item, harbour, stageOf(harbour, arena, own));
  });
}

function stageOf({ lane }: Harbour, { programs }: Arena, tally: Tally): Stage {
  return { lane, tally, programs, isShared: true };
}

/** A scene on which nothing has happened yet. */
export async function newScene(where: string, deed: Deed, harbour: Harbour, stage: Stage): Promise<Scene> {
  await stage.lane.service.fresh();
  return new Scene(where, deed, harbour, stage);
}

/** What each command does undisturbed: observed once, on the first harbour. */
export function seenOnce<Seen>(
  fleet: Fleet,
  what: string,
  look: (harbour: Harbour, stage: Stage) => Promise<Seen>,
): Promise<Seen> {
  const { arena, tally, harbours } = fleet;
  const [harbour] = harbours.values();
  if (harbour === undefined) throw new Error('no harbour');
  const seen =
    (fleet.seen.get(what) as Promise<Seen> | undefined) ??
    playAtPace(arena.pace, tally, (own) => look(harbour, stageOf(harbour, arena, own)));
  fleet.seen.set(what, seen);
  return seen;
}
