import { overLanes } from '../lane.ts';
import { Play, type Stage } from '../play.ts';
import { failuresOf, hasStrace, injecting, type Site } from '../strace.ts';
import type { Tally } from '../tally.ts';
import { playConfigFailures } from './failingConfig.ts';
import { playDisks } from './failingDisks.ts';
import { sitesOf } from './killedBySystem.ts';
import { aftermath, type Story, setScene, stdinOf, stories, usedMachine } from './stories.ts';
import { type Arena, shareOf, type Technique } from './technique.ts';

type Failure = { readonly site: Site; readonly error: string; readonly story: Story };

async function failAt({ site, error, story }: Failure, stage: Stage, used: string): Promise<void> {
  const { call, nth, words } = site;
  const play = new Play(`${story.name}, ${error} from ${call} ${nth} (${words})`, stage);
  const home = await setScene(story, play, stage.lane, used);
  await play.run(story.argv, home, { under: injecting(site, `error=${error}`), ...stdinOf(story) });
  await aftermath(story, play, home, stage);
  home.remove();
}

async function playJournalFailures(arena: Arena, tally: Tally): Promise<void> {
  const [lane] = arena.lanes;
  if (lane === undefined) return;
  const stage: Stage = { lane, tally, programs: arena.programs, isDiskFailing: true };
  const used = (await usedMachine(lane, tally, arena)).path;
  const failures: Failure[] = [];
  for (const story of stories.filter(({ inEveryWay }) => inEveryWay)) {
    const sites = await sitesOf(story, stage, used, arena.pace);
    failures.push(...failuresOf(sites).map((failure) => ({ ...failure, story })));
  }
  await overLanes(arena, tally, shareOf(failures, arena, 'failing'), (failure, one, own) =>
    failAt(failure, { ...stage, lane: one, tally: own }, used),
  );
}

async function play(arena: Arena, tally: Tally): Promise<void> {
  await playDisks(arena, tally);
  if (!arena.hasSystemCalls) return;
  if (!hasStrace()) {
    tally.note('system calls', 'left out, because there is no strace');
    return;
  }
  await playJournalFailures(arena, tally);
  await playConfigFailures(arena, tally);
}

export const failing: Technique = { name: 'failing', title: '2. Every system call fails once', play };
