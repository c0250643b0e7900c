import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Home } from '../testing/home.ts';
import { type Pace, playAtPace } from './pace.ts';
import { type Service, startService } from './service.ts';
import type { Tally } from './tally.ts';

/** One service and what runs against it. Cases in one lane run one after the other. */
export type Lane = {
  readonly service: Service;
  /** A machine that has never seen a command. */
  home(): Home;
  /** The environment of a command on that machine. */
  env(home: Home, baseUrl?: string): Record<string, string>;
  close(): Promise<void>;
};

export async function openLane(): Promise<Lane> {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-proof-'));
  const own = new Home();
  const homes = new Set<Home>([own]);
  const remove = (): void => {
    for (const home of homes) home.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const service = await startService(own.env, folder);
  return {
    service,
    home: () => {
      const home = new Home();
      homes.add(home);
      return home;
    },
    env: (home, baseUrl = service.baseUrl) => ({
      ...home.env,
      BOTCTL_BASE_URL: baseUrl,
      BOTCTL_TOKEN: service.token,
    }),
    close: async () => {
      await service.close();
      remove();
      process.off('exit', remove);
    },
  };
}

/**
 * Plays every item, each in a free lane, and stops early after enough findings. What the machine was too slow for is
 * played again, so what a play finds goes to a tally of its own.
 */
export async function overLanes<Item>(
  { lanes, pace }: { readonly lanes: readonly Lane[]; readonly pace: Pace },
  tally: Tally,
  items: Iterable<Item>,
  play: (item: Item, lane: Lane, own: Tally) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  await Promise.all(
    lanes.map(async (lane) => {
      for (let next = queue.next(); !next.done && !tally.isEnough; next = queue.next()) {
        const { value } = next;
        await playAtPace(pace, tally, (own) => play(value, lane, own));
      }
    }),
  );
}
