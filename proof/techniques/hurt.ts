import { cpSync } from 'node:fs';
import { type Arena, isSlice, playEach, type Stage, shareOf, type Technique } from '../arena.ts';
import { batchOf, command, type Job, type Operation, operations, pay, say } from '../jobs.ts';
import { begin } from '../play.ts';
import { Tally } from '../tally.ts';
import { patient, playCrowd } from './crowd.ts';
import { askAgain } from './hurt/aftermath.ts';
import { aged, ages, beforeCommit } from './hurt/ages.ts';
import { playInFlight } from './hurt/inFlight.ts';
import { type Injury, injuries } from './hurt/injuries.ts';

type Send = { readonly name: string; readonly operation: Operation; readonly isNamed: boolean };

const sends: readonly Send[] = [
  { name: 'an unnamed transfer', operation: 'transfer', isNamed: false },
  ...operations.map((operation): Send => ({ name: `a named ${operation}`, operation, isNamed: true })),
];

/** How far a send has come when its process is killed at a step and its journal is hurt. */
const moments: Readonly<Record<string, string | undefined>> = {
  'killed before the commit': beforeCommit,
  'killed before the bytes': 'undici:client:sendHeaders (synchronous=2)',
  'killed after the bytes': 'undici:request:bodySent',
  'killed after the reply': 'undici:request:trailers',
  'killed after the end': 'write to stdout',
  finished: undefined,
};

type Case = {
  readonly injury: Injury;
  readonly age: string;
  readonly moment: string;
  readonly send: Send;
  readonly nth: number;
};

/**
 * Common injuries are played for every age at every stage; the others meet every age and every stage, but not every
 * pair.
 */
function everyCase(arena: Arena): Case[] {
  // Thirty sends take long; a slice does without.
  const possible = isSlice(arena) ? ages.filter(({ isLong }) => isLong !== true) : ages;
  return injuries.flatMap((injury, turn) =>
    possible.flatMap(({ name: age }, row) =>
      Object.keys(moments).flatMap((moment, column): Case[] => {
        if (injury.isCommon !== true && (row + column + turn) % 3 !== 0) return [];
        const send = sends[(turn + row + column) % sends.length];
        if (send === undefined) return [];
        return Array.from({ length: injury.times ?? 1 }, (_, nth) => ({ injury, age, moment, send, nth }));
      }),
    ),
  );
}

async function playCase({ injury, age, moment, send, nth }: Case, stage: Stage): Promise<void> {
  const before = await aged(age, stage);
  const where = `${age}, ${send.name} ${moment}: ${injury.name}, ${nth + 1}`;
  const dice = stage.dice.for(where);
  const play = await begin(where, stage, 'remembered');
  cpSync(before.home.path, play.home.path, { recursive: true });
  // The service remembers its keys: what a key is good for must be there, and names must be new.
  const unused = dice.for('names').bytes(6).toString('hex');
  const sent = { argv: command(send.operation, ...(send.isNamed ? ['--once', unused] : [])), effects: 1 };
  const step = moments[moment];
  if (step === undefined) play.expectExit(await play.run(sent.argv), 0);
  else await play.dying(step, sent.argv);
  const hurt = injury.hurt({ home: play.home, before, dice, another: stage.machine });
  if (hurt === undefined) return;
  const old = before.deeds.length === 0 ? undefined : dice.pick(before.deeds);
  const mayBeRefused = injury.isHarmless !== true;
  await askAgain({ ...hurt, sent, old, mayBeRefused, newName: `after-${unused}` }, play);
}

async function playInjuries(arena: Arena): Promise<void> {
  // What is not always noticed is counted apart, in a line below the table.
  const apart = new Tally(arena.tally.technique);
  await playEach(arena, shareOf(everyCase(arena), arena, 'hurt', 2), async (one, stage) => {
    if (one.injury.isFlaw !== true) return playCase(one, stage);
    const tally = new Tally(arena.tally.technique);
    await playCase(one, { ...stage, tally });
    apart.add(tally);
    if (tally.findings.length === 0) stage.tally.add(tally);
    else stage.tally.count(0, 0);
  });
  const wrongs = (['duplicated', 'lost', 'wrongly reported'] as const).map((wrong) => {
    return `${apart.wrongs(wrong)} ${wrong}`;
  });
  arena.tally.note('what hits a page of journal.db itself', `of ${apart.cases} cases ${wrongs.join(', ')}`);
}

/** Payments differ in amount and messages in name, so how long the run takes does not matter. */
function jobs(count: number): Job[] {
  return Array.from({ length: count }, (_, index): Job => {
    const number = 100 + index;
    if (index % 4 === 0) return pay(`0.0${number}`, ...patient);
    if (index % 4 === 1) return say(`Message ${number}`, '--once', `m${number}`, ...patient);
    if (index % 4 === 2) return pay(`0.0${number}`, '--once', `p${number}`, ...patient);
    return batchOf(`b${number}`, 4, ...patient);
  });
}

/** Five at a time, on one journal for long, and on many that they set up at once. */
async function playNoAlarm(arena: Arena): Promise<void> {
  const { dice, share } = arena;
  const rounds = Array.from({ length: 1 + Math.max(1, Math.round(40 * share)) }, (_, round) => round);
  await playEach(arena, rounds, async (round, stage) => {
    const isLong = round === 0;
    const play = await begin(`half of all processes killed, on journal ${round}`, stage);
    const commandsEach = isLong ? Math.max(1, Math.round(200 * share)) : isSlice(arena) ? 1 : 2;
    const some = jobs(isLong ? Math.max(4, Math.round(80 * share)) : 3);
    const crowd = { members: 5, commandsEach, jobs: some, isKilled: true } as const;
    await playCrowd(crowd, dice.for(`journal ${round}`), play);
  });
}

export const hurt: Technique = {
  name: 'hurt',
  title: '8. The journal is hurt',
  play: async (whole) => {
    // A slice is played in one lane: there each age has to be made but once.
    const lanes = isSlice(whole) ? whole.lanes.slice(0, 1) : whole.lanes;
    const arena: Arena = { ...whole, lanes, isDiskFailing: true };
    await playInjuries(arena);
    await playInFlight(arena);
    // Whichever process is killed, and whenever: no journal may report a loss that did not happen.
    await playNoAlarm(whole);
  },
};
