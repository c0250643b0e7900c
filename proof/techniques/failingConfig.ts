import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../testing/home.ts';
import { overLanes } from '../lane.ts';
import { playAtPace } from '../pace.ts';
import { Play, type Stage } from '../play.ts';
import { failuresOf, injecting, recording, sitesIn } from '../strace.ts';
import type { Tally } from '../tally.ts';
import { type Arena, shareOf } from './technique.ts';

const profile = { 'base-url': 'https://bots.example', token: { kind: 'env', variable: 'SOME_TOKEN' } };
const before = { version: 1, profiles: { tips: profile } };
const change = ['config', 'set', 'tips', 'timeout', '5s', '--json'];

function configured(home: Home): void {
  home.writeConfig(before);
}

function timeoutIn(home: Home): unknown {
  const file = home.readConfig() as { profiles: { tips: { timeout?: unknown } } };
  return file.profiles.tips.timeout;
}

/** The change is made or not; the file stays whole and private, and the next change succeeds. */
async function failAt(where: string, under: readonly string[], stage: Stage): Promise<void> {
  const play = new Play(where, stage);
  const home = stage.lane.home();
  configured(home);
  const ran = await play.run(change, home, { under });
  if (!existsSync(home.configFile)) play.wrong('the profiles are gone');
  else if (ran.code === 0 && timeoutIn(home) !== '5s') play.wrong('exit 0, and the setting is not there');
  play.expectExit(await play.run(change, home), 0);
  if (timeoutIn(home) !== '5s') play.wrong('the second change is not there');
  const left = readFileSync(home.configFile, 'utf8');
  if (!left.includes('SOME_TOKEN')) play.wrong('the profile lost its token');
  await play.over(0);
  home.remove();
}

export async function playConfigFailures(arena: Arena, tally: Tally): Promise<void> {
  const [lane] = arena.lanes;
  if (lane === undefined) return;
  const stage = { lane, tally, programs: arena.programs };
  await lane.service.fresh();
  const sites = await playAtPace(arena.pace, tally, async (own) => {
    const play = new Play('a setting, watched', { ...stage, tally: own });
    const home = lane.home();
    configured(home);
    const log = join(home.path, 'strace');
    play.expectExit(await play.run(change, home, { under: recording(log) }), 0);
    return sitesIn(log, 'config.json');
  });
  const failures = failuresOf(sites);
  for (const own of arena.lanes) await own.service.fresh();
  await overLanes(arena, tally, shareOf(failures, arena, 'failing config'), ({ site, error }, one, own) =>
    failAt(
      `a setting, ${error} from ${site.call} ${site.nth} (${site.words})`,
      injecting(site, `error=${error}`),
      {
        ...stage,
        lane: one,
        tally: own,
      },
    ),
  );
}
