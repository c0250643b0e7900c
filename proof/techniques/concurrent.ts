import { randomFaults } from '../../test/support/randomFaults.ts';
import { type Arena, isSlice, playEach, playOne, type Technique } from '../arena.ts';
import { batchOf, type Job, pay, say } from '../jobs.ts';
import { begin, lostReply } from '../play.ts';
import { closeMeanwhile } from './closing.ts';
import { playDecisions } from './concurrent/decisions.ts';
import { playOtherNames } from './concurrent/otherNames.ts';
import { playTwoMachines } from './concurrent/twoMachines.ts';
import { playUnderLimit } from './concurrent/underLimit.ts';
import { patient, playCrowd } from './crowd.ts';

/** Few enough jobs that many processes share one, and enough that they also do different things. */
function jobs(share: number): Job[] {
  const numbers = Array.from({ length: Math.max(1, Math.round(12 * share)) }, (_, index) => index + 1);
  return numbers.flatMap((number): Job[] => [
    say('Once, please', '--once', `m${number}`, ...patient),
    pay(`0.0${100 + number}`, '--once', `t${number}`, ...patient),
    pay(`0.0${300 + number}`, ...patient),
    ...(number > 3 ? [] : [batchOf(`b${number}`, 5, ...patient)]),
  ]);
}

async function playConcurrent(arena: Arena): Promise<void> {
  const { dice, share } = arena;
  const members = Math.max(5, Math.round(50 * share));
  const commandsEach = Math.max(3, Math.round(50 * share));
  await playOne(arena, async (stage) => {
    const play = await begin(`${members} processes at once`, stage);
    const seed = String(dice.for('faults').fraction());
    const script = randomFaults({ seed, rate: 0.05, requests: 2 * members * commandsEach });
    await stage.lane.service.faults(...script);
    await playCrowd({ members, commandsEach, jobs: jobs(share) }, dice, play);
  });
}

/** Three processes with one batch, whose journal is closed and opened while they run. */
async function playClosed(arena: Arena): Promise<void> {
  const { dice, share } = arena;
  const rounds = Array.from({ length: Math.max(1, Math.round(20 * share)) }, (_, round) => round + 1);
  await playEach(arena, rounds, async (round, stage) => {
    const play = await begin(`a journal that is closed while a batch runs, round ${round}`, stage);
    const own = dice.for(`closed ${round}`);
    if (round % 2 === 0) await stage.lane.service.faults(lostReply);
    const batch = batchOf('closed', 60, '--concurrency', '2', ...patient);
    await closeMeanwhile(batch, 2, own.below(50), play, [{}, {}, {}]);
  });
}

const parts = [playDecisions, playConcurrent, playClosed, playUnderLimit, playOtherNames, playTwoMachines];

export const concurrent: Technique = {
  name: 'concurrent',
  title: '7. Many at once',
  play: async (arena) => {
    // Of a slice not more than three parts: each takes many processes.
    for (const play of isSlice(arena) ? arena.dice.for('parts').sample(parts, 3) : parts) await play(arena);
  },
};
