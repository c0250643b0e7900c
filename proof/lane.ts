import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Home } from '../test/support/home.ts';
import { entriesIn, journalOf, type Kept } from './look.ts';
import { type Service, startService } from './service.ts';

/** One service and what runs against it. Cases in one lane run one after the other. */
export type Lane = {
  readonly service: Service;
  /** A machine that has never seen a command. */
  home(): Home;
  /** The environment of a command on that machine. */
  env(home: Home, baseUrl?: string): Record<string, string>;
  /** What the journal of that machine has. */
  kept(home: Home): Kept[] | Promise<Kept[]>;
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
    kept: (home) => entriesIn(journalOf(home)),
    close: async () => {
      await service.close();
      remove();
      process.off('exit', remove);
    },
  };
}
