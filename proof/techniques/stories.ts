import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../test/support/home.ts';
import { type Arena, playOne, type Stage } from '../arena.ts';
import { batchOf, command, type Job, pay, say } from '../jobs.ts';
import { begin, type Play, type Setting } from '../play.ts';
import { recording, type Site, sitesIn } from '../strace.ts';

/** A command that is struck at each of its steps and run again. */
export type Story = {
  readonly name: string;
  readonly job: Job;
  /** A machine on which nothing was ever run: the journal is made under the blows. */
  readonly isNew?: true;
  /** Also struck at its system calls, in company, and by a milder signal. */
  readonly inEveryWay?: true;
} & Setting;

export const stories: readonly Story[] = [
  { name: 'the first command ever', job: say('First', '--once', 'the-one'), isNew: true, inEveryWay: true },
  { name: 'an unnamed transfer', job: pay('0.001'), inEveryWay: true },
  {
    name: 'a transfer of a run, tried again',
    job: pay('0.001', '--once', 'nightly'),
    faults: [{ kind: 'reply', status: 503, when: 'after' }],
  },
  { name: 'a transfer run again after a lost reply', job: pay('0.001'), isResumed: true },
  { name: 'a batch of three', job: batchOf('three', 3) },
];

export const inEveryWay = stories.filter((story) => story.inEveryWay);

/** At the start of the story: a machine that was used before, unless it is new, and a service set up for it. */
export async function setScene(story: Story, how: string, stage: Stage, used: Home): Promise<Play> {
  const play = await begin(`${story.name}, ${how}`, stage);
  if (story.isNew !== true) cpSync(used.path, play.home.path, { recursive: true });
  await play.ignoreKept();
  await play.prepare(story, story.job.argv, {});
  return play;
}

/** A machine on which botctl was used before, to be copied. */
export function usedMachine(arena: Arena): Promise<Home> {
  return playOne(arena, async (stage) => {
    const play = await begin('a first use', stage);
    const home = stage.lane.home();
    play.expectExit(await play.run(command('message', '--once', 'first-use'), { home }), 0);
    return home;
  });
}

/** The unchanged shipped program, run once: its system calls. */
export function sitesOf(story: Story, arena: Arena, used: Home): Promise<Site[]> {
  return playOne(arena, async (stage) => {
    const play = await setScene(story, 'watched', stage, used);
    const log = join(play.home.path, 'strace');
    const { argv, stdin, effects } = story.job;
    play.expectExit(await play.run(argv, { under: recording(log), stdin }), 0);
    await play.over(effects);
    return sitesIn(log, 'journal.db');
  });
}

/** After the blow: every effect is in the journal, the same command finishes it, and all agree on what happened. */
export async function aftermath({ job: { argv, stdin, effects } }: Story, play: Play): Promise<void> {
  await play.journaled();
  await play.stage.lane.service.clearFaults();
  play.expectExit(await play.run(argv, { stdin }), 0);
  await play.history();
  await play.over(effects);
}
