import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Arena, playEach, playOne, type Stage, shareOf } from '../arena.ts';
import { begin, type Play } from '../play.ts';
import { failuresOf, injecting, recording, sitesIn } from '../strace.ts';

const profile = { 'base-url': 'https://bots.example', token: { kind: 'env', variable: 'SOME_TOKEN' } };
const change = ['config', 'set', 'tips', 'timeout', '5s', '--json'];

async function configured(where: string, stage: Stage): Promise<Play> {
  const play = await begin(`a setting, ${where}`, stage);
  play.home.writeConfig({ version: 1, profiles: { tips: profile } });
  return play;
}

function isChanged({ home }: Play): boolean {
  const { profiles } = home.readConfig() as { profiles: { tips: { timeout?: unknown } } };
  return profiles.tips.timeout === '5s';
}

/** The change is made or not; the file stays whole and private, and the next change succeeds. */
async function failAt(where: string, under: readonly string[], stage: Stage): Promise<void> {
  const play = await configured(where, stage);
  const ran = await play.run(change, { under });
  if (!existsSync(play.home.configFile)) play.wrong('the profiles are gone');
  else if (ran.code === 0 && !isChanged(play)) play.wrong('exit 0, and the setting is not there');
  play.expectExit(await play.run(change), 0);
  if (!isChanged(play)) play.wrong('the second change is not there');
  if (!readFileSync(play.home.configFile, 'utf8').includes('SOME_TOKEN'))
    play.wrong('the profile lost its token');
  await play.over(0);
}

export async function playConfigFailures(arena: Arena): Promise<void> {
  const sites = await playOne(arena, async (stage) => {
    const play = await configured('watched', stage);
    const log = join(play.home.path, 'strace');
    play.expectExit(await play.run(change, { under: recording(log) }), 0);
    return sitesIn(log, 'config.json');
  });
  const failures = shareOf(failuresOf(sites), arena, 'failing config');
  await playEach(arena, failures, ({ site, error }, stage) => {
    const where = `${error} from ${site.call} ${site.nth} (${site.words})`;
    return failAt(where, injecting(site, `error=${error}`), stage);
  });
}
