import type { Home } from '../../test/support/home.ts';
import { isSlice, playEach, playOne, type Stage, shareOf, type Technique } from '../arena.ts';
import { hasStrace, injecting, type Site } from '../strace.ts';
import { aftermath, inEveryWay, type Story, setScene, sitesOf, stories, usedMachine } from './stories.ts';

async function stepsOf(story: Story, stage: Stage, used: Home): Promise<string[]> {
  const play = await setScene(story, 'not killed', stage, used);
  const { argv, stdin, effects } = story.job;
  const steps = await play.steps('synchronous=2', argv, { stdin });
  await play.over(effects);
  return steps;
}

/** Killed alone, killed while another process waits for it, or ended by a gentler signal. */
type How = 'killed' | 'killed in company' | 'interrupted';
type Blow = { readonly at: number; readonly name: string; readonly story: Story; readonly how: How };

async function strike({ at, name, story, how }: Blow, stage: Stage, used: Home): Promise<void> {
  const play = await setScene(story, `${how} at step ${at} (${name})`, stage, used);
  const { argv, stdin } = story.job;
  const env = { BOTCTL_PROOF_BLOW: how === 'interrupted' ? 'SIGTERM' : 'SIGKILL' };
  const struck = play.dying(at, argv, { env, stdin });
  const other = how === 'killed in company' ? play.run(argv, { stdin }) : undefined;
  const ran = await struck;
  if (how === 'killed' && ran.signal !== 'SIGKILL' && ran.code !== 0)
    play.unmet(`it was to be killed, but ended with ${ran.code}`);
  if (how === 'interrupted') play.expectExit(ran, 0, 9, 11, 130);
  if (other !== undefined) play.expectExit(await other, 0);
  await aftermath(story, play);
}

/** A kill at each step. Stories played in every way add the other two in turn. */
function blowsAt(steps: readonly string[], story: Story): Blow[] {
  return steps.flatMap((name, index) => {
    const turn = index % 2 === 0 ? 'killed in company' : 'interrupted';
    const ways: readonly How[] = story.inEveryWay ? ['killed', turn] : ['killed'];
    return ways.map((how): Blow => ({ at: index + 1, name, story, how }));
  });
}

/** Locks are taken and released all the time, so one in four of those calls is enough. */
function isChosen({ call }: Site, index: number): boolean {
  return (call !== 'fcntl' && call !== 'pread64') || index % 4 === 0;
}

export const killed: Technique = {
  name: 'killed',
  title: '1. Killed at every step',
  play: async (arena) => {
    const used = await usedMachine(arena);
    const blows: Blow[] = [];
    for (const story of isSlice(arena) ? arena.dice.for('stories').sample(stories, 2) : stories)
      blows.push(...blowsAt(await playOne(arena, (stage) => stepsOf(story, stage, used)), story));
    await playEach(arena, shareOf(blows, arena, 'killed'), (blow, stage) => strike(blow, stage, used));
    if (!hasStrace(arena)) return;
    const sites: { readonly story: Story; readonly site: Site }[] = [];
    for (const story of inEveryWay)
      sites.push(...(await sitesOf(story, arena, used)).filter(isChosen).map((site) => ({ story, site })));
    await playEach(arena, shareOf(sites, arena, 'killed by strace'), async ({ story, site }, stage) => {
      const play = await setScene(story, `killed at ${site.call} ${site.nth} (${site.words})`, stage, used);
      const { argv, stdin } = story.job;
      await play.run(argv, { under: injecting(site, 'signal=SIGKILL'), stdin });
      await aftermath(story, play);
    });
  },
};
