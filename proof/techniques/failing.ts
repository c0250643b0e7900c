import { overLanes } from '../lane.ts';
import { Play, type Stage } from '../play.ts';
import { hasStrace, injecting, type Site } from '../strace.ts';
import type { Tally } from '../tally.ts';
import { playConfigFailures } from './failingConfig.ts';
import { playDisks } from './failingDisks.ts';
import { sitesOf } from './killedBySystem.ts';
import { aftermath, type Story, setScene, stdinOf, stories, usedMachine } from './stories.ts';
import { type Arena, shareOf, type Technique } from './technique.ts';

/** How each call on a file can fail once. */
const errors: Readonly<Record<string, readonly string[]>> = {
  fsync: ['EIO', 'ENOSPC', 'EINTR', 'EROFS'],
  fdatasync: ['EIO', 'ENOSPC', 'EINTR', 'EROFS'],
  pwrite64: ['EIO', 'ENOSPC', 'EROFS', 'EINTR'],
  pread64: ['EIO', 'EINTR'],
  ftruncate: ['EIO', 'ENOSPC', 'EROFS', 'EINTR'],
  rename: ['EIO', 'ENOSPC', 'EROFS'],
  unlink: ['EIO', 'EROFS'],
  mkdir: ['ENOSPC', 'EROFS', 'EIO'],
  openat: ['EMFILE', 'EROFS', 'EIO', 'ENOSPC', 'EINTR'],
  chmod: ['EROFS', 'EIO'],
  fchmod: ['EROFS', 'EIO'],
  fcntl: ['EIO', 'EINTR'],
  // Any other error on a close makes Node's own library abort.
  close: ['EINTR'],
};

/** A lock can be refused, but its return cannot; and Node aborts by itself if it cannot look at its streams' flags. */
function isOurs({ call, words }: Site): boolean {
  return call !== 'fcntl' || (/F_(SETLK|GETLK)/u.test(words) && !words.includes('F_UNLCK'));
}

/** At each place two of its errors, taking turns from place to place; of reads and locks, which are many, one. */
export function failuresOf(sites: readonly Site[]): { site: Site; error: string }[] {
  return sites.filter(isOurs).flatMap((site, index) => {
    const possible = errors[site.call] ?? [];
    const most = site.call === 'fcntl' || site.call === 'pread64' ? 1 : 2;
    const count = Math.min(most, possible.length);
    return Array.from({ length: count }, (_, turn) => {
      const error = possible[(index + turn) % possible.length] ?? 'EIO';
      return { site, error };
    });
  });
}

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
    const sites = await sitesOf(story, stage, used);
    failures.push(...failuresOf(sites).map((failure) => ({ ...failure, story })));
  }
  await overLanes(arena, tally, shareOf(failures, arena, 'failing'), (failure, own) =>
    failAt(failure, { ...stage, lane: own }, used),
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
