import { cpSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Home } from '../../../test/support/home.ts';
import type { Stage } from '../../arena.ts';
import { batchOf, command, type Job, pay } from '../../jobs.ts';
import type { Lane } from '../../lane.ts';
import { journalOf } from '../../look.ts';
import { begin, type Play } from '../../play.ts';

/** A journal before its last send, and the commands that it has done and must not repeat. */
export type Aged = { readonly home: Home; readonly deeds: readonly Job[] };

type Age = {
  readonly name: string;
  readonly from?: string;
  readonly isLong?: true;
  live(home: Home, deeds: Job[], play: Play): Promise<void>;
};

/** A step of every send, even the first of its journal, just before its entry is committed. */
export const beforeCommit = 'run INSERT INTO attempts (entry, number, sta';

/** An unnamed message that was told is sent again, so an old deed is a payment or has a name. */
function nthDeed(nth: number): Job {
  const message = command('message', '--once', `aged-${nth}`);
  return nth % 2 === 1 ? pay(`0.0${1000 + nth}`) : { argv: message, effects: 1 };
}

async function send(jobs: readonly Job[], home: Home, deeds: Job[], play: Play): Promise<void> {
  for (const job of jobs) {
    play.expectExit(await play.run(job.argv, { home, stdin: job.stdin }), 0);
    deeds.push(job);
  }
}

const deeds = Array.from({ length: 30 }, (_, index) => nthDeed(index + 1));

export const ages: readonly Age[] = [
  {
    name: 'a journal just made',
    live: async (home, _deeds, play) =>
      void (await play.dying(beforeCommit, command('message', '--once', 'never'), { home })),
  },
  {
    name: 'after 5 sends',
    from: 'a journal just made',
    live: (home, done, play) => send(deeds.slice(0, 5), home, done, play),
  },
  {
    // More than a note has places for.
    name: 'after 30 sends',
    from: 'after 5 sends',
    isLong: true,
    live: (home, done, play) => send(deeds.slice(5), home, done, play),
  },
  {
    name: 'after a batch',
    from: 'a journal just made',
    live: (home, done, play) => send([batchOf('aged-batch', 12)], home, done, play),
  },
  {
    name: 'after a checkpoint',
    from: 'after 5 sends',
    live: async (home) => {
      const database = new DatabaseSync(journalOf(home));
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
    },
  },
];

/** The journals of each age on a lane, whose service alone knows their effects. */
const made = new WeakMap<Lane, Map<string, Promise<Aged>>>();

/** Made when first needed. */
export function aged(name: string, stage: Stage): Promise<Aged> {
  const known = made.get(stage.lane) ?? new Map<string, Promise<Aged>>();
  made.set(stage.lane, known);
  const one = known.get(name) ?? make(name, stage);
  known.set(name, one);
  return one;
}

async function make(name: string, stage: Stage): Promise<Aged> {
  const age = ages.find((one) => one.name === name);
  if (age === undefined) throw new Error(`no such age: ${name}`);
  const earlier = age.from === undefined ? undefined : await aged(age.from, stage);
  const home = stage.lane.home();
  if (earlier !== undefined) cpSync(earlier.home.path, home.path, { recursive: true });
  const done = [...(earlier?.deeds ?? [])];
  await age.live(home, done, await begin(name, stage, 'remembered'));
  return { home, deeds: done };
}
