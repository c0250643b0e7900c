import { type Arena, playOne, type Stage } from '../../arena.ts';
import type { Lane } from '../../lane.ts';
import { type Errand, newDeed } from './deeds.ts';
import { type Harbour, openHarbour } from './harbour.ts';
import { Scene } from './scene.ts';

/** A harbour for each lane, and what is played there. */
export type Fleet = Arena & {
  readonly harbours: ReadonlyMap<Lane, Harbour>;
};

export async function openFleet(arena: Arena): Promise<Fleet> {
  const harbours = await Promise.all(arena.lanes.map((lane) => openHarbour(lane, arena.programs.plain)));
  return {
    ...arena,
    isShared: true,
    lanes: harbours.map(({ lane }) => lane),
    harbours: new Map(harbours.map((harbour) => [harbour.lane, harbour])),
  };
}

export async function closeFleet({ harbours }: Fleet): Promise<void> {
  await Promise.all(
    [...harbours.values()].map(async ({ proxy, server }) => {
      await proxy.close();
      await server.close();
    }),
  );
}

export function harbourOf({ harbours }: Fleet, { lane }: Stage): Harbour {
  const harbour = harbours.get(lane);
  if (harbour === undefined) throw new Error('a lane without a harbour');
  return harbour;
}

/** A scene in which the errand is about to be run. */
export async function newScene(where: string, errand: Errand, fleet: Fleet, stage: Stage): Promise<Scene> {
  await stage.lane.service.fresh();
  const { faults, isResumed, kind } = errand;
  const before = `${faults ? 'tried again, ' : ''}${isResumed ? 'run again after a lost reply, ' : ''}`;
  const harbour = harbourOf(fleet, stage);
  const scene = new Scene(`${before}${where}`, newDeed(kind), harbour, stage);
  await scene.prepare(errand, scene.deed.argv, { home: harbour.homes[3] });
  return scene;
}

/** What the errand does undisturbed, on the first harbour. */
export function undisturbed<Seen>(
  errand: Errand,
  fleet: Fleet,
  look: (scene: Scene) => Promise<Seen>,
): Promise<Seen> {
  return playOne(fleet, async (stage) => {
    const scene = await newScene('undisturbed', errand, fleet, stage);
    const seen = await look(scene);
    await scene.settle();
    return seen;
  });
}
