import { overLanes } from '../lane.ts';
import { command, type Operation, operations, Play, type Stage, unnamed } from '../play.ts';
import type { Tally } from '../tally.ts';
import { playLate } from './late.ts';
import { type Arena, shareOf, type Technique } from './technique.ts';

const dayMs = 24 * 3_600_000;
const halfDayMs = dayMs / 2;

/** `[clock reads before the jump, offset from then on]`, as the hooked program takes it. */
type Jumps = readonly (readonly [number, number])[];

const clocks: Readonly<Record<string, Jumps>> = {
  'on time': [],
  'a day back': [[0, -dayMs]],
  'an hour back': [[0, -3_600_000]],
  'a minute ahead': [[0, 60_000]],
  'an hour ahead': [[0, 3_600_000]],
  'two days ahead': [[0, 2 * dayMs]],
  'a year ahead': [[0, 365 * dayMs]],
  'in 1970': [[0, -Date.now()]],
};

/** One jump within a command, at each of its first clock reads. */
const jumpsWithin: readonly Jumps[] = Array.from({ length: 14 }, (_, index) => index).flatMap((at) => [
  [[at, -dayMs]],
  [[at, 365 * dayMs]],
  [
    [at, 365 * dayMs],
    [at + 1, 0],
  ],
]);

const namings: Readonly<Record<string, readonly string[]>> = {
  unnamed: [],
  once: ['--once', 'clock'],
};

type Start = 'done' | 'lost' | 'limited' | 'died';
const starts: readonly Start[] = ['done', 'lost', 'limited', 'died'];

type Case = {
  readonly operation: Operation;
  readonly naming: string;
  readonly start: Start;
  readonly clock: string;
  readonly jumps: Jumps;
};

function between(): Case[] {
  return operations.flatMap((operation) =>
    Object.keys(namings).flatMap((naming) =>
      starts.flatMap((start) =>
        Object.entries(clocks).map(([clock, jumps]): Case => ({ operation, naming, start, clock, jumps })),
      ),
    ),
  );
}

/** A first run on time with a fault in its reply, then the same command with another clock. */
async function playBetween(one: Case, stage: Stage): Promise<void> {
  const { operation, naming, start, clock, jumps } = one;
  const { lane, programs } = stage;
  await lane.service.fresh();
  const play = new Play(`${operation}, ${naming}, ${start}, then ${clock}`, stage);
  const home = lane.home();
  const words = unnamed(operation, ...(namings[naming] ?? []), '--max-wait', '3s');
  await begin(start, words, play, home, stage);
  const before = (await lane.service.effects()).length;
  const env = { BOTCTL_PROOF_CLOCK: JSON.stringify(jumps) };
  const again = await play.run(words, home, { program: programs.hooked, env });
  play.expectExit(again, 0, ...(before === 1 && start !== 'done' ? [10] : []));
  await play.journaled(home);
  await play.over(isDoneAgain(one) ? 2 : 1);
  home.remove();
}

async function begin(
  start: Start,
  words: readonly string[],
  play: Play,
  home: ReturnType<Stage['lane']['home']>,
  { lane, programs }: Stage,
): Promise<void> {
  if (start === 'lost') await lane.service.faults({ kind: 'drop', when: 'after' });
  if (start === 'limited') await lane.service.faults({ kind: 'reply', status: 429 });
  if (start === 'died') {
    // Far enough for the request to have left, whatever it was.
    await lane.service.faults({ kind: 'stall', ms: 0, when: 'after' });
    const env = { BOTCTL_PROOF_DIE_AT: 'undici:request:headers' };
    await play.run(words, home, { program: programs.hooked, env });
    return;
  }
  const first = words.map((word) => (word === '3s' ? '0s' : word));
  play.expectExit(await play.run(first, home), ...(start === 'done' ? [0] : start === 'lost' ? [9] : [7]));
}

/** What the design lets happen again without a name: what was done long ago, and a message that was told. */
function isDoneAgain({ naming, start, operation, jumps }: Case): boolean {
  const isLater = (jumps[0]?.[1] ?? 0) > halfDayMs;
  if (naming !== 'unnamed' || start === 'limited') return false;
  if (operation === 'transfer') return start === 'done' && isLater;
  return start === 'done' || isLater;
}

/** The clock jumps while the command runs, through a lost reply and further attempts. */
async function playWithin(operation: Operation, jumps: Jumps, stage: Stage): Promise<void> {
  const { lane, programs } = stage;
  await lane.service.fresh();
  const play = new Play(`${operation}, the clock jumps within it: ${JSON.stringify(jumps)}`, stage);
  const home = lane.home();
  await lane.service.faults({ kind: 'reply', status: 503, when: 'after' });
  const words = command(operation, '--once', 'within', '--max-wait', '5s');
  const env = { BOTCTL_PROOF_CLOCK: JSON.stringify(jumps) };
  const ran = await play.run(words, home, { program: programs.hooked, env });
  play.expectExit(ran, 0, 10);
  await play.journaled(home);
  play.expectExit(await play.run(words, home), 0, 10);
  await play.over(1);
  home.remove();
}

async function play(arena: Arena, tally: Tally): Promise<void> {
  const { programs } = arena;
  await overLanes(arena, tally, [undefined], (_, lane, own) => playLate({ lane, tally: own, programs }));
  await overLanes(arena, tally, shareOf(between(), arena, 'between'), (one, lane, own) =>
    playBetween(one, { lane, tally: own, programs }),
  );
  const within = operations.flatMap((operation) => jumpsWithin.map((jumps) => ({ operation, jumps })));
  await overLanes(arena, tally, shareOf(within, arena, 'within'), ({ operation, jumps }, lane, own) =>
    playWithin(operation, jumps, { lane, tally: own, programs }),
  );
}

export const clocksThatJump: Technique = { name: 'clocks', title: '5. Clocks that jump', play };
