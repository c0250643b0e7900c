import { type Arena, playEach, type Stage, shareOf, type Technique } from '../arena.ts';
import { command, type Operation, onceOnly, operations, unnamed } from '../jobs.ts';
import { begin, lostReply, type Play } from '../play.ts';
import type { Ran } from '../run.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** `[clock reads before the jump, offset from then on]`, as the hooked program takes it. */
type Jumps = readonly (readonly [number, number])[];

const clocks: Readonly<Record<string, Jumps>> = {
  'on time': [],
  'a day back': [[0, -dayMs]],
  'an hour back': [[0, -hourMs]],
  'a minute ahead': [[0, 60_000]],
  'an hour ahead': [[0, hourMs]],
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

const namings: Readonly<Record<string, readonly string[]>> = { unnamed: [], once: ['--once', 'clock'] };

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

function byClock(jumps: Jumps, words: readonly string[], play: Play): Promise<Ran> {
  return play.hooked(words, {}, { BOTCTL_PROOF_CLOCK: JSON.stringify(jumps) });
}

/** A first run on time with a fault in its reply, then the same command with another clock. */
async function playBetween(one: Case, stage: Stage): Promise<void> {
  const { operation, naming, start, clock, jumps } = one;
  const play = await begin(`${operation}, ${naming}, ${start}, then ${clock}`, stage);
  const words = unnamed(operation, ...(namings[naming] ?? []), '--max-wait', '3s');
  await playStart(start, words, play);
  const before = (await play.effects()).length;
  const again = await byClock(jumps, words, play);
  play.expectExit(again, 0, ...(before === 1 && start !== 'done' ? [10] : []));
  await play.journaled();
  await play.over(isDoneAgain(one) ? 2 : 1);
}

async function playStart(start: Start, words: readonly string[], play: Play): Promise<void> {
  const { service } = play.stage.lane;
  if (start === 'died') {
    // Far enough for the request to have left, whatever it was.
    await service.faults({ kind: 'stall', ms: 0, when: 'after' });
    await play.dying('undici:request:headers', words);
    return;
  }
  if (start === 'lost') await service.faults(lostReply);
  if (start === 'limited') await service.faults({ kind: 'reply', status: 429 });
  play.expectExit(await play.run(onceOnly(words)), { done: 0, lost: 9, limited: 7 }[start]);
}

/** What the design lets happen again without a name: what was done long ago, and a message that was told. */
function isDoneAgain({ naming, start, operation, jumps }: Case): boolean {
  const isLater = (jumps[0]?.[1] ?? 0) > dayMs / 2;
  if (naming !== 'unnamed' || start === 'limited') return false;
  if (operation === 'transfer') return start === 'done' && isLater;
  return start === 'done' || isLater;
}

/** The clock jumps while the command runs, through a lost reply and further attempts. */
async function playWithin(operation: Operation, jumps: Jumps, stage: Stage): Promise<void> {
  const play = await begin(`${operation}, the clock jumps within it: ${JSON.stringify(jumps)}`, stage);
  await stage.lane.service.faults({ kind: 'reply', status: 503, when: 'after' });
  const words = command(operation, '--once', 'within', '--max-wait', '5s');
  play.expectExit(await byClock(jumps, words, play), 0, 10);
  await play.journaled();
  play.expectExit(await play.run(words), 0, 10);
  await play.over(1);
}

async function play(arena: Arena): Promise<void> {
  await playEach(arena, shareOf(between(), arena, 'between'), playBetween);
  const within = operations.flatMap((operation) => jumpsWithin.map((jumps) => ({ operation, jumps })));
  await playEach(arena, shareOf(within, arena, 'within'), ({ operation, jumps }, stage) =>
    playWithin(operation, jumps, stage),
  );
}

export const clocksThatJump: Technique = { name: 'clocks', title: '5. Clocks that jump', play };
