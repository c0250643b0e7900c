import type { ChildProcess } from 'node:child_process';
import type { Dice } from '../../dice.ts';
import { overLanes } from '../../lane.ts';
import { inTime, playAtPace } from '../../pace.ts';
import { Play, type Stage } from '../../play.ts';
import type { Ran } from '../../run.ts';
import type { Tally } from '../../tally.ts';
import { journalRefusal, shortened } from '../../told.ts';
import { batchOf, type Job, pay, say } from '../concurrent/jobs.ts';
import { type Arena, isSlice } from '../technique.ts';

const processesInAll = 1_000;
const journalsInAll = 40;
const atOnce = 5;

/** Payments differ in amount and messages in name, so how long the run takes does not matter. */
function jobs(count: number): Job[] {
  return Array.from({ length: count }, (_, index): Job => {
    const number = 100 + index;
    if (index % 4 === 0) return { argv: pay(`0.0${number}`), effects: 1 };
    if (index % 4 === 1) return say(`Message ${number}`, '--once', `m${number}`);
    if (index % 4 === 2) return { argv: pay(`0.0${number}`, '--once', `p${number}`), effects: 1 };
    return batchOf(`b${number}`, 4);
  });
}

const looks: Job = { argv: ['history', '--json'], effects: 0 };

type Scene = {
  readonly play: Play;
  readonly home: ReturnType<Stage['lane']['home']>;
  readonly arena: Arena;
  readonly tally: Tally;
};

/** How long an undisturbed command takes here. */
class Pace {
  #meanMs = 150;

  note(ms: number): void {
    this.#meanMs += (ms - this.#meanMs) / 20;
  }

  /** Some time within such a command, or a bit after. */
  moment(dice: Dice): number {
    return dice.fraction() * this.#meanMs * 1.1;
  }
}

async function once(
  job: Job,
  killAfterMs: number | undefined,
  { play, home, arena, tally }: Scene,
): Promise<Ran> {
  const start = {
    isOneOfMany: true,
    ...(job.stdin === undefined ? {} : { stdin: job.stdin }),
    started: (child: ChildProcess) => {
      if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    },
  };
  const ran = await inTime(arena.pace, tally, () => play.run(job.argv, home, start));
  if (journalRefusal(ran) !== undefined) play.wrong(`a false alarm: ${shortened(ran)}`);
  else if (ran.code !== null) play.expectExit(ran, 0, 9, 11);
  return ran;
}

/** Five processes at a time, up to this total. Every other one is killed at a random time. */
async function five(processes: number, all: readonly Job[], dice: Dice, scene: Scene): Promise<void> {
  const pace = new Pace();
  let started = 0;
  const member = async (own: Dice): Promise<void> => {
    while (started < processes) {
      started += 1;
      const isKilled = own.below(2) === 0;
      const job = own.below(8) === 0 ? looks : own.pick(all);
      const beganMs = performance.now();
      await once(job, isKilled ? pace.moment(own) : undefined, scene);
      if (!isKilled) pace.note(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, index) => member(dice.for(`member ${index}`))));
}

/** Undisturbed, each command must finish, and all requested effects must exist. */
async function runAllToTheirEnd(all: readonly Job[], processes: number, scene: Scene): Promise<void> {
  for (const job of all) scene.play.expectExit(await once(job, undefined, scene), 0);
  await scene.play.over(all.reduce((sum, { effects }) => sum + effects, 0));
  scene.tally.count(0, 0, processes - 1);
}

async function onOneJournal(arena: Arena, tally: Tally): Promise<void> {
  const [lane] = arena.lanes;
  if (lane === undefined) return;
  const processes = Math.max(atOnce, Math.round(processesInAll * arena.share));
  const stage: Stage = { lane, tally, programs: arena.programs };
  const play = new Play(`${processes} processes, half of them killed`, stage);
  await lane.service.fresh();
  const scene = { play, home: lane.home(), arena, tally };
  const all = jobs(Math.max(4, Math.round(80 * arena.share)));
  await five(processes, all, arena.dice.for('one journal'), scene);
  await runAllToTheirEnd(all, processes, scene);
  scene.home.remove();
}

/** Five processes set up one journal at once, and are killed meanwhile. */
async function onNewJournals(arena: Arena, tally: Tally): Promise<void> {
  const rounds = Array.from(
    { length: Math.max(1, Math.round(journalsInAll * arena.share)) },
    (_, round) => round,
  );
  const lanes = arena.lanes.slice(1, 3);
  await overLanes({ lanes, pace: arena.pace }, tally, rounds, async (round, lane, own) => {
    const stage: Stage = { lane, tally: own, programs: arena.programs };
    await lane.service.fresh();
    const play = new Play(`a new journal, round ${round}`, stage);
    const scene = { play, home: lane.home(), arena, tally: own };
    const all = jobs(3);
    const processes = isSlice(arena) ? atOnce : 2 * atOnce;
    await five(processes, all, arena.dice.for(`new journal ${round}`), scene);
    await runAllToTheirEnd(all, processes, scene);
    scene.home.remove();
  });
}

/** Whichever process is killed, and whenever: no journal may ever report a loss that did not happen. */
export async function playNoAlarm(arena: Arena, tally: Tally): Promise<void> {
  await Promise.all([
    playAtPace(arena.pace, tally, (own) => onOneJournal(arena, own)),
    onNewJournals(arena, tally),
  ]);
}
