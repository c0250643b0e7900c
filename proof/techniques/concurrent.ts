import type { Home } from '../../testing/home.ts';
import { randomFaults } from '../../testing/randomFaults.ts';
import type { Dice } from '../dice.ts';
import { intentsIn, journalOf } from '../look.ts';
import { inTime, type Pace, playAtPace } from '../pace.ts';
import { command, Play, type Stage } from '../play.ts';
import { type Ran, run } from '../run.ts';
import type { Tally } from '../tally.ts';
import { shortened, toldBy } from '../told.ts';
import { playApproved } from './concurrent/approved.ts';
import { batchOf, type Job, pay } from './concurrent/jobs.ts';
import { playOtherNames } from './concurrent/otherNames.ts';
import { redirectedIds } from './concurrent/redirected.ts';
import { playShown } from './concurrent/shown.ts';
import { playTwoMachines } from './concurrent/twoMachines.ts';
import { playUnderLimit } from './concurrent/underLimit.ts';
import type { Arena, Technique } from './technique.ts';

/** Few enough jobs that many processes share one, and enough that they also do different things. */
function jobs(share: number): Job[] {
  const numbers = Array.from({ length: Math.max(1, Math.round(12 * share)) }, (_, index) => index + 1);
  return numbers.flatMap((number): Job[] => [
    { argv: command('message', '--once', `m${number}`, '--timeout', '20s'), effects: 1 },
    { argv: pay(`0.0${100 + number}`, '--once', `t${number}`), effects: 1 },
    { argv: pay(`0.0${200 + number}`, '--once', `r${number}`), effects: 1 },
    { argv: pay(`0.0${300 + number}`), effects: 1 },
    ...(number > 3 ? [] : [batchOf(`b${number}`, 5)]),
  ]);
}

const others: readonly (readonly string[])[] = [
  ['history', '--json'],
  ['history', '--state', 'unknown', '--json'],
  ['resume', '--all', '--json'],
  ['doctor', '--json'],
];

type Scene = {
  readonly pace: Pace;
  readonly play: Play;
  readonly stage: Stage;
  readonly env: Record<string, string>;
  readonly home: Home;
};

/** One of many processes: runs so many commands, one after the other. */
async function member(dice: Dice, all: readonly Job[], count: number, scene: Scene): Promise<Ran[]> {
  const rans: Ran[] = [];
  while (rans.length < count) {
    const job: Job = dice.below(5) === 0 ? { argv: dice.pick(others), effects: 0 } : dice.pick(all);
    rans.push(await once(job, scene));
  }
  return rans;
}

async function once({ argv, stdin }: Pick<Job, 'argv' | 'stdin'>, scene: Scene): Promise<Ran> {
  const { play, stage, env, pace } = scene;
  const { bin } = stage.programs.plain;
  const start = { env, ...(stdin === undefined ? {} : { stdin }) };
  const ran = await inTime(pace, stage.tally, () => run(bin, argv, start));
  play.judge(ran);
  if (ran.code === 1 && argv[0] !== 'doctor') play.unmet(`botctl ${argv.join(' ')}: ${shortened(ran)}`);
  return ran;
}

/** A person sends again what a redirect has left in doubt, with its own key. */
async function decideRedirected(scene: Scene): Promise<void> {
  for (const id of redirectedIds(scene.home, scene.stage.lane.service, 0))
    await once({ argv: ['resume', id, '--yes', '--json'] }, scene);
}

/** Without faults every command must finish, and together they must have the requested number of effects. */
async function runAllToTheirEnd(all: readonly Job[], scene: Scene): Promise<void> {
  const { play, stage } = scene;
  await stage.lane.service.clearFaults();
  await once({ argv: ['resume', '--all', '--json'] }, scene);
  await decideRedirected(scene);
  const queue = [...all];
  await Promise.all(
    [1, 2, 3, 4].map(async () => {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
        const ran = await once(job, scene);
        if (ran.code !== 0) play.unmet(`botctl ${job.argv.join(' ')} does not end well: ${shortened(ran)}`);
      }
    }),
  );
}

async function playConcurrent(arena: Arena, tally: Tally): Promise<void> {
  const { lanes, programs, dice, share, pace } = arena;
  const [lane] = lanes;
  if (lane === undefined) throw new Error('no lane');
  const processes = Math.max(5, Math.round(50 * share));
  const commandsEach = Math.max(3, Math.round(50 * share));
  await lane.service.fresh();
  const seed = String(dice.for('faults').fraction());
  await lane.service.faults(...randomFaults({ seed, rate: 0.05, requests: 2 * processes * commandsEach }));
  const stage = { lane, tally, programs };
  const story = new Play(`${processes} processes at once`, stage);
  const home = lane.home();
  const scene: Scene = { pace, play: story, stage, env: lane.env(home), home };
  const all = jobs(share);
  const members = Array.from({ length: processes }, (_, index) =>
    member(dice.for(`member ${index}`), all, commandsEach, scene),
  );
  const rans = (await Promise.all(members)).flat();
  await runAllToTheirEnd(all, scene);
  await compare(rans, all, story, stage, home);
  home.remove();
}

async function compare(
  rans: readonly Ran[],
  all: readonly Job[],
  story: Play,
  { lane, tally }: Stage,
  home: ReturnType<Stage['lane']['home']>,
): Promise<void> {
  const effects = await lane.service.effects();
  const keys = new Set(effects.map(({ key }) => key));
  for (const told of rans.map(toldBy)) {
    if (told.exit === 0 && told.key !== undefined && told.outcome === 'accepted' && !keys.has(told.key))
      story.wrong(`${told.key} was said to be accepted, and had not happened`);
  }
  const kept = intentsIn(journalOf(home));
  const expected = all.reduce((sum, job) => sum + job.effects, 0);
  const accepted = kept.filter(({ state }) => state === 'accepted').length;
  if (accepted !== expected) story.unmet(`the journal has ${accepted} accepted rows instead of ${expected}`);
  for (const { key, state } of kept) {
    if (state === 'accepted') {
      if (!keys.has(key)) tally.find('lost', story.where, `${key} is accepted, and had not happened`);
    }
    // What the dice redirected was not done: the same command again, where it has no name, is another intent.
    else if (state !== 'rejected') story.unmet(`${key} ended as ${state}`);
    else if (keys.has(key)) story.wrong(`${key} was said to be rejected, and had happened`);
  }
  await story.over(expected);
  tally.count(0, 0, rans.length - 1);
}

async function play(arena: Arena, tally: Tally): Promise<void> {
  await playShown(arena, tally);
  await playApproved(arena, tally);
  await playAtPace(arena.pace, tally, (own) => playConcurrent(arena, own));
  await playUnderLimit(arena, tally);
  await playOtherNames(arena, tally);
  await playTwoMachines(arena, tally);
}

export const concurrent: Technique = { name: 'concurrent', title: '7. Many at once', play };
