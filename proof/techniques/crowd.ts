import type { ChildProcess } from 'node:child_process';
import type { Dice } from '../dice.ts';
import type { Job } from '../jobs.ts';
import { inTime } from '../pace.ts';
import type { Play } from '../play.ts';
import { type Ran, run } from '../run.ts';
import { journalRefusal, shortened, toldBy } from '../told.ts';

/** Processes that work on one journal at once. */
type Crowd = {
  readonly members: number;
  readonly commandsEach: number;
  readonly jobs: readonly Job[];
  /** Half of the commands are killed, at some time within what an undisturbed one takes, or a bit after. */
  readonly isKilled?: true;
};

/** What others do meanwhile. */
const others: readonly (readonly string[])[] = [
  ['history', '--json'],
  ['history', '--state', 'unknown', '--json'],
  ['resume', '--all', '--json'],
  ['doctor', '--json'],
];

export const patient = ['--timeout', '20s'];

/** Each member runs its commands one after the other; afterwards everything must have happened once. */
export async function playCrowd(crowd: Crowd, dice: Dice, play: Play): Promise<void> {
  let meanMs = 150;
  const member = async (own: Dice): Promise<Ran[]> => {
    const rans: Ran[] = [];
    while (rans.length < crowd.commandsEach) {
      const job = own.below(5) === 0 ? { argv: own.pick(others) } : own.pick(crowd.jobs);
      const isKilled = crowd.isKilled === true && own.below(2) === 0;
      const ran = await once(job, play, {}, isKilled ? own.fraction() * meanMs * 1.1 : undefined);
      if (!isKilled) meanMs += (ran.tookMs - meanMs) / 20;
      rans.push(ran);
    }
    return rans;
  };
  const all = Array.from({ length: crowd.members }, (_, index) => member(dice.for(`member ${index}`)));
  const rans = (await Promise.all(all)).flat();
  await finish(crowd.jobs, play);
  await compare(rans, crowd.jobs, play);
  play.stage.tally.count(0, 0, rans.length - 1);
}

/** One of many commands: what it says of others' work may be over by now, so it is compared at the end. */
export async function once(
  { argv, stdin }: Omit<Job, 'effects'>,
  play: Play,
  env: Readonly<Record<string, string>> = {},
  killAfterMs?: number,
): Promise<Ran> {
  const { lane, pace, programs, tally } = play.stage;
  const started = (child: ChildProcess): void => {
    if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  };
  const start = { env: { ...lane.env(play.home), ...env }, stdin, started };
  const ran = await inTime(pace, tally, () => run(programs.plain, argv, start));
  play.judge(ran);
  if (journalRefusal(ran) !== undefined) play.wrong(`a false alarm: ${shortened(ran)}`);
  else if (ran.code === 1 && argv[0] !== 'doctor') play.unmet(`botctl ${argv.join(' ')}: ${shortened(ran)}`);
  return ran;
}

/** Without faults every command must finish, and together they must have the requested number of effects. */
async function finish(jobs: readonly Job[], play: Play): Promise<void> {
  await play.stage.lane.service.clearFaults();
  await once({ argv: ['resume', '--all', '--json'] }, play);
  for (const id of await redirectedIds(play)) await once({ argv: ['resume', id, '--yes', '--json'] }, play);
  const queue = [...jobs];
  await Promise.all(
    [1, 2, 3, 4].map(async () => {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
        const ran = await once(job, play);
        if (ran.code !== 0) play.unmet(`botctl ${job.argv.join(' ')} does not end well: ${shortened(ran)}`);
      }
    }),
  );
}

async function compare(rans: readonly Ran[], jobs: readonly Job[], play: Play): Promise<void> {
  const keys = new Set((await play.effects()).map(({ key }) => key));
  for (const told of rans.map(toldBy)) {
    if (told.exit === 0 && told.key !== undefined && told.outcome === 'accepted' && !keys.has(told.key))
      play.wrong(`${told.key} was said to be accepted, and had not happened`);
  }
  const kept = await play.stage.lane.kept(play.home);
  const expected = jobs.reduce((sum, { effects }) => sum + effects, 0);
  const accepted = kept.filter(({ state }) => state === 'accepted').length;
  if (accepted !== expected) play.unmet(`the journal has ${accepted} accepted rows instead of ${expected}`);
  for (const { key, state } of kept) {
    const happened = keys.has(key);
    if (state === 'accepted' && !happened)
      play.stage.tally.find('lost', play.where, `${key} is accepted, and had not happened`);
    // What the dice redirected was not done: the same command again, where it has no name, is another entry.
    if (state === 'rejected' && happened) play.wrong(`${key} was said to be rejected, and had happened`);
    if (state !== 'accepted' && state !== 'rejected') play.unmet(`${key} ended as ${state}`);
  }
  await play.over(expected);
}

/** What a redirect after doubt has left to a person, rightly: whether the first request happened is not known. */
export async function redirectedIds({ stage, home, heard }: Play): Promise<string[]> {
  const redirected = new Set(heard.flatMap(({ key, status }) => (status === 307 ? [key] : [])));
  return (await stage.lane.kept(home)).flatMap(({ id, key, state }) =>
    state === 'held' && redirected.has(key) ? [id] : [],
  );
}
