import { cpSync } from 'node:fs';
import type { Home } from '../../testing/home.ts';
import type { FaultSpec } from '../../testing/sandbox.ts';
import type { Lane } from '../lane.ts';
import { intentsIn, journalOf } from '../look.ts';
import { playAtPace } from '../pace.ts';
import { command, Play, type Stage } from '../play.ts';
import type { Tally } from '../tally.ts';
import type { Arena } from './technique.ts';

/** A command that is killed at each of its steps and run again. */
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
  /** Also struck at its system calls, in company, and by a milder signal. */
  readonly inEveryWay?: true;
};

const rows = 'conversation_id,content\nconv_demo,One\nconv_demo,Two\nconv_demo,Three\n';

export const stories: readonly Story[] = [
  { name: 'the first command ever', argv: command('message'), expected: 1, isNew: true, inEveryWay: true },
  { name: 'a named message', argv: command('message', '--once', 'killed'), expected: 1 },
  { name: 'an unnamed transfer', argv: command('transfer'), expected: 1, inEveryWay: true },
  {
    name: 'a transfer of a run, tried again',
    argv: command('transfer', '--once', 'nightly'),
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

export function stdinOf({ stdin }: Story): { stdin?: string } {
  return stdin === undefined ? {} : { stdin };
}

const lostReply: FaultSpec = { kind: 'drop', when: 'after' };

/** A machine at the start of the story, and a service set up for it. */
export async function setScene(story: Story, play: Play, lane: Lane, used: string): Promise<Home> {
  await lane.service.fresh();
  const home = lane.home();
  if (story.isNew !== true) cpSync(used, home.path, { recursive: true });
  play.ignore(intentsIn(journalOf(home)));
  if (story.isResumed === true) {
    await lane.service.faults(lostReply);
    play.expectExit(await play.run([...story.argv, '--max-wait', '0s'], home), 9);
  }
  if (story.faults !== undefined) await lane.service.faults(...story.faults);
  return home;
}

/** A machine on which botctl was used before, to be copied. */
export function usedMachine(lane: Lane, tally: Tally, { pace, programs }: Arena): Promise<Home> {
  return playAtPace(pace, tally, async (own) => {
    const play = new Play('a first use', { lane, tally: own, programs });
    const home = lane.home();
    play.expectExit(await play.run(command('message', '--once', 'first-use'), home), 0);
    return home;
  });
}

/** After the blow: every effect is in the journal, the same command finishes it, and all agree on what happened. */
export async function aftermath(story: Story, play: Play, home: Home, { lane }: Stage): Promise<void> {
  await play.journaled(home);
  await lane.service.clearFaults();
  const again = await play.run(story.argv, home, stdinOf(story));
  play.expectExit(again, 0);
  await play.history(home, ['accepted']);
  await play.over(story.expected);
}
