import { type Arena, playEach, shareOf, type Technique } from '../arena.ts';
import { failuresOf, hasStrace, injecting, type Site } from '../strace.ts';
import { playConfigFailures } from './failingConfig.ts';
import { playDisks } from './failingDisks.ts';
import { aftermath, inEveryWay, type Story, setScene, sitesOf, usedMachine } from './stories.ts';

type Failure = { readonly site: Site; readonly error: string; readonly story: Story };

async function playJournalFailures(arena: Arena): Promise<void> {
  const used = await usedMachine(arena);
  const failures: Failure[] = [];
  for (const story of inEveryWay) {
    const sites = await sitesOf(story, arena, used);
    failures.push(...failuresOf(sites).map((failure) => ({ ...failure, story })));
  }
  await playEach(arena, shareOf(failures, arena, 'failing'), async ({ site, error, story }, stage) => {
    const how = `${error} from ${site.call} ${site.nth} (${site.words})`;
    const play = await setScene(story, how, stage, used);
    const { argv, stdin } = story.job;
    await play.run(argv, { under: injecting(site, `error=${error}`), stdin });
    await aftermath(story, play);
  });
}

export const failing: Technique = {
  name: 'failing',
  title: '2. Every system call fails once',
  play: async (arena) => {
    await playDisks({ ...arena, isDiskFailing: true });
    if (!hasStrace(arena)) return;
    await playJournalFailures({ ...arena, isDiskFailing: true });
    await playConfigFailures(arena);
  },
};
