import { join } from 'node:path';
import { overLanes } from '../lane.ts';
import { type Pace, playAtPace } from '../pace.ts';
import { Play, type Stage } from '../play.ts';
import { hasStrace, injecting, recording, type Site, sitesIn } from '../strace.ts';
import type { Tally } from '../tally.ts';
import { aftermath, type Story, setScene, stdinOf } from './stories.ts';
import { type Arena, shareOf } from './technique.ts';

type Blow = { readonly site: Site; readonly story: Story };

/** Locks are taken and released all the time, so one in four of those calls is enough. */
function isChosen({ call }: Site, index: number): boolean {
  return (call !== 'fcntl' && call !== 'pread64') || index % 4 === 0;
}

/** Runs the unchanged shipped program once and records its system calls. */
export function sitesOf(story: Story, stage: Stage, used: string, pace: Pace): Promise<Site[]> {
  return playAtPace(pace, stage.tally, (tally) => lookAtSites(story, { ...stage, tally }, used));
}

async function lookAtSites(story: Story, stage: Stage, used: string): Promise<Site[]> {
  const play = new Play(`${story.name}, watched`, stage);
  const home = await setScene(story, play, stage.lane, used);
  const log = join(home.path, 'strace');
  play.expectExit(await play.run(story.argv, home, { under: recording(log), ...stdinOf(story) }), 0);
  await play.over(story.expected);
  return sitesIn(log, 'journal.db');
}

async function killAt({ site, story }: Blow, stage: Stage, used: string): Promise<void> {
  const play = new Play(`${story.name}, killed at ${site.call} ${site.nth} (${site.words})`, stage);
  const home = await setScene(story, play, stage.lane, used);
  await play.run(story.argv, home, { under: injecting(site, 'signal=SIGKILL'), ...stdinOf(story) });
  await aftermath(story, play, home, stage);
  home.remove();
}

/** The shipped program itself, killed at its system calls. Needs strace. */
export async function killByStrace(
  stories: readonly Story[],
  arena: Arena,
  tally: Tally,
  used: string,
): Promise<void> {
  const [lane] = arena.lanes;
  if (!hasStrace() || lane === undefined) {
    tally.note('at system calls', 'left out, because there is no strace');
    return;
  }
  const blows: Blow[] = [];
  for (const story of stories) {
    const sites = await sitesOf(story, { lane, tally, programs: arena.programs }, used, arena.pace);
    blows.push(...sites.filter(isChosen).map((site) => ({ site, story })));
  }
  await overLanes(arena, tally, shareOf(blows, arena, 'killed by strace'), (blow, one, own) =>
    killAt(blow, { lane: one, tally: own, programs: arena.programs }, used),
  );
}
