import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../test/helpers/home.ts';
import type { FaultSpec } from '../../test/helpers/sandbox.ts';
import { type Lane, overLanes } from '../lane.ts';
import { intentsIn, journalOf } from '../look.ts';
import { command, Play, type Stage } from '../play.ts';
import type { Tally } from '../tally.ts';
import { type Arena, shareOf, type Technique } from './technique.ts';

/** A command to be killed at each of its steps, and run again. */
export type Story = {
  readonly name: string;
  readonly argv: readonly string[];
  readonly expected: number;
  /** A machine on which nothing was ever run: the journal is made under the blows. */
  readonly isNew?: true;
  readonly faults?: readonly FaultSpec[];
  /** An earlier run of the same command, whose reply is lost. */
  readonly isResumed?: true;
  readonly stdin?: string;
};

const rows = 'conversation_id,content\nconv_demo,One\nconv_demo,Two\nconv_demo,Three\n';

export const stories: readonly Story[] = [
  { name: 'the first command ever', argv: command('message'), expected: 1, isNew: true },
  { name: 'a named message', argv: command('message', '--once', 'killed'), expected: 1 },
  { name: 'an unnamed transfer', argv: command('transfer'), expected: 1 },
  {
    name: 'a transfer of a run, tried again',
    argv: command('transfer', '--run', 'nightly'),
    expected: 1,
    faults: [{ kind: 'reply', status: 503, when: 'after' }],
  },
  {
    name: 'a transfer run again after a lost reply',
    argv: command('transfer'),
    expected: 1,
    isResumed: true,
  },
  {
    name: 'a batch of three',
    argv: ['batch', 'send', '-', '--once', 'three', '--yes', '--json'],
    expected: 3,
    stdin: rows,
  },
];

const lostReply: FaultSpec = { kind: 'drop', when: 'after' };

/** A machine as the story begins, with what the service will do. */
export async function setScene(story: Story, play: Play, lane: Lane, used: string): Promise<Home> {
  await lane.service.fresh();
  const home = lane.home();
  if (story.isNew !== true) cpSync(used, home.path, { recursive: true });
  play.ignore(intentsIn(journalOf(home)));
  if (story.isResumed === true) {
    await lane.service.faults(lostReply);
    play.expectExit(await play.run([...story.argv, '--retries', '0'], home), 9);
  }
  if (story.faults !== undefined) await lane.service.faults(...story.faults);
  return home;
}

/** A machine on which botctl was used before, to be copied. */
export async function usedMachine(lane: Lane, tally: Tally, arena: Arena): Promise<Home> {
  const play = new Play('a first use', { lane, tally, programs: arena.programs });
  const home = lane.home();
  play.expectExit(await play.run(command('message', '--once', 'first-use'), home), 0);
  return home;
}

/** After the blow: nothing unjournaled happened, the same command ends it, and all agree on what happened. */
export async function aftermath(story: Story, play: Play, home: Home, { lane }: Stage): Promise<void> {
  await play.journaled(home);
  await lane.service.clearFaults();
  const again = await play.run(story.argv, home, story.stdin === undefined ? {} : { stdin: story.stdin });
  play.expectExit(again, 0);
  await play.history(home, ['accepted']);
  await play.over(story.expected);
}

async function stepsOf(story: Story, stage: Stage, used: string): Promise<string[]> {
  const play = new Play(`${story.name}, not killed`, stage);
  const home = await setScene(story, play, stage.lane, used);
  const file = join(home.path, 'steps');
  const ran = await play.run(story.argv, home, {
    program: stage.programs.hooked,
    env: { BOTCTL_PROOF_STEPS: file },
    ...(story.stdin === undefined ? {} : { stdin: story.stdin }),
  });
  play.expectExit(ran, 0);
  await play.over(story.expected);
  const steps = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  // What is asserted where the request leaves: its record is committed, and the commit is durable.
  for (const step of steps.filter((name) => name.startsWith('undici:client:sendHeaders'))) {
    if (!step.endsWith('(synchronous=2)')) play.wrong(`a request left without a durable record: ${step}`);
  }
  return steps;
}

async function killAt(at: number, name: string, story: Story, stage: Stage, used: string): Promise<void> {
  const play = new Play(`${story.name}, killed at step ${at} (${name})`, stage);
  const home = await setScene(story, play, stage.lane, used);
  const ran = await play.run(story.argv, home, {
    program: stage.programs.hooked,
    env: { BOTCTL_PROOF_DIE_AT: String(at) },
    ...(story.stdin === undefined ? {} : { stdin: story.stdin }),
  });
  if (ran.signal !== 'SIGKILL' && ran.code !== 0)
    play.wrong(`it was to be killed, but ended with ${ran.code}`);
  await aftermath(story, play, home, stage);
  home.remove();
}

async function play(arena: Arena, tally: Tally): Promise<void> {
  const [first] = arena.lanes;
  if (first === undefined) throw new Error('no lane');
  const used = join((await usedMachine(first, tally, arena)).path);
  const blows: { at: number; name: string; story: Story }[] = [];
  for (const story of stories) {
    const steps = await stepsOf(story, { lane: first, tally, programs: arena.programs }, used);
    blows.push(...steps.map((name, index) => ({ at: index + 1, name, story })));
  }
  const chosen = shareOf(blows, arena, 'killed');
  await overLanes(arena, tally, chosen, ({ at, name, story }, lane) =>
    killAt(at, name, story, { lane, tally, programs: arena.programs }, used),
  );
}

export const killed: Technique = { name: 'killed', title: '1. Killed at every step', play };
