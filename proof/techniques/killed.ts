import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { overLanes } from '../lane.ts';
import { playAtPace } from '../pace.ts';
import { Play, type Stage } from '../play.ts';
import type { Tally } from '../tally.ts';
import { killByStrace } from './killedBySystem.ts';
import { aftermath, type Story, setScene, stdinOf, stories, usedMachine } from './stories.ts';
import { type Arena, isSlice, shareOf, type Technique } from './technique.ts';

async function stepsOf(story: Story, stage: Stage, used: string): Promise<string[]> {
  const play = new Play(`${story.name}, not killed`, stage);
  const home = await setScene(story, play, stage.lane, used);
  const file = join(home.path, 'steps');
  const ran = await play.run(story.argv, home, {
    program: stage.programs.hooked,
    env: { BOTCTL_PROOF_STEPS: file },
    ...stdinOf(story),
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

/** Killed alone, killed while another process waits for it, or ended by a gentler signal. */
type How = 'killed' | 'killed in company' | 'interrupted';
type Blow = { readonly at: number; readonly name: string; readonly story: Story; readonly how: How };

async function strike({ at, name, story, how }: Blow, stage: Stage, used: string): Promise<void> {
  const play = new Play(`${story.name}, ${how} at step ${at} (${name})`, stage);
  const home = await setScene(story, play, stage.lane, used);
  const signal = how === 'interrupted' ? 'SIGTERM' : 'SIGKILL';
  const struck = play.run(story.argv, home, {
    program: stage.programs.hooked,
    env: { BOTCTL_PROOF_DIE_AT: String(at), BOTCTL_PROOF_BLOW: signal },
    ...stdinOf(story),
  });
  const other = how === 'killed in company' ? play.run(story.argv, home, stdinOf(story)) : undefined;
  const ran = await struck;
  if (how === 'killed' && ran.signal !== 'SIGKILL' && ran.code !== 0)
    play.unmet(`it was to be killed, but ended with ${ran.code}`);
  if (how === 'interrupted') play.expectExit(ran, 0, 9, 11, 130);
  if (other !== undefined) play.expectExit(await other, 0);
  await aftermath(story, play, home, stage);
  home.remove();
}

const milder: readonly How[] = ['killed in company', 'interrupted'];

/** A kill at each step. Stories played in every way add the other two in turn. */
function blowsAt(steps: readonly string[], story: Story): Blow[] {
  return steps.flatMap((name, index) => {
    const turn = milder[index % milder.length] ?? 'interrupted';
    const ways: readonly How[] = story.inEveryWay ? ['killed', turn] : ['killed'];
    return ways.map((how): Blow => ({ at: index + 1, name, story, how }));
  });
}

async function play(arena: Arena, tally: Tally): Promise<void> {
  const [first] = arena.lanes;
  if (first === undefined) throw new Error('no lane');
  const used = (await usedMachine(first, tally, arena)).path;
  const blows: Blow[] = [];
  for (const story of isSlice(arena) ? arena.dice.for('stories').sample(stories, 2) : stories) {
    const steps = await playAtPace(arena.pace, tally, (own) =>
      stepsOf(story, { lane: first, tally: own, programs: arena.programs }, used),
    );
    blows.push(...blowsAt(steps, story));
  }
  const chosen = shareOf(blows, arena, 'killed');
  await overLanes(arena, tally, chosen, (blow, lane, own) =>
    strike(blow, { lane, tally: own, programs: arena.programs }, used),
  );
  if (arena.hasSystemCalls)
    await killByStrace(
      stories.filter(({ inEveryWay }) => inEveryWay),
      arena,
      tally,
      used,
    );
}

export const killed: Technique = { name: 'killed', title: '1. Killed at every step', play };
