import { cpSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Home } from '../../../testing/home.ts';
import type { Lane } from '../../lane.ts';
import { journalOf } from '../../look.ts';
import { command, Play, type Stage } from '../../play.ts';
import { pay } from '../concurrent/jobs.ts';
import { beforeCommit } from './stages.ts';

/** A command that a journal of this age has done and must not repeat. */
export type Deed = { readonly argv: readonly string[]; readonly stdin?: string };

export type Aged = {
  readonly name: string;
  readonly home: Home;
  readonly deeds: readonly Deed[];
  /** The same journal when it was younger. */
  readonly earlier: Aged | undefined;
};

type Age = {
  readonly name: string;
  readonly from?: string;
  readonly isLong?: true;
  live(home: Home, deeds: Deed[], play: Play, stage: Stage): Promise<void>;
};

/** An unnamed message that was told is sent again, so an old deed is a payment or has a name. */
function nthDeed(nth: number): Deed {
  return nth % 2 === 1
    ? { argv: pay(`0.0${1000 + nth}`) }
    : { argv: command('message', '--once', `aged-${nth}`) };
}

async function send(upTo: number, home: Home, deeds: Deed[], play: Play): Promise<void> {
  for (let nth = deeds.length + 1; nth <= upTo; nth += 1) {
    const deed = nthDeed(nth);
    play.expectExit(await play.run(deed.argv, home), 0);
    deeds.push(deed);
  }
}

const rows = Array.from({ length: 12 }, (_, row) => `conv_demo,A row of old ${row}`).join('\n');
const batch: Deed = {
  argv: ['batch', 'send', '-', '--once', 'aged-batch', '--yes', '--json'],
  stdin: `conversation_id,content\n${rows}\n`,
};

export const ages: readonly Age[] = [
  {
    name: 'a journal just made',
    live: async (home, _deeds, play, { programs }) => {
      const env = { BOTCTL_PROOF_DIE_AT: beforeCommit };
      await play.run(command('message', '--once', 'never'), home, { program: programs.hooked, env });
    },
  },
  {
    name: 'after 1 send',
    from: 'a journal just made',
    live: (home, deeds, play) => send(1, home, deeds, play),
  },
  {
    name: 'after 5 sends',
    from: 'after 1 send',
    live: (home, deeds, play) => send(5, home, deeds, play),
  },
  {
    name: 'after 30 sends',
    from: 'after 5 sends',
    isLong: true,
    live: (home, deeds, play) => send(30, home, deeds, play),
  },
  {
    name: 'after a batch',
    from: 'after 1 send',
    live: async (home, deeds, play) => {
      play.expectExit(await play.run(batch.argv, home, { stdin: batch.stdin ?? '' }), 0);
      deeds.push(batch);
    },
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

/** The journals of each age on one lane, whose service alone knows their effects. Made when first needed. */
export class Ages {
  readonly #lane: Lane;
  readonly #made = new Map<string, Promise<Aged>>();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  of(name: string, stage: Stage): Promise<Aged> {
    const known = this.#made.get(name) ?? this.#make(name, stage);
    this.#made.set(name, known);
    return known;
  }

  async #make(name: string, stage: Stage): Promise<Aged> {
    const age = ages.find((one) => one.name === name);
    if (age === undefined) throw new Error(`no such age: ${name}`);
    const earlier = age.from === undefined ? undefined : await this.of(age.from, stage);
    const home = this.#lane.home();
    if (earlier !== undefined) cpSync(earlier.home.path, home.path, { recursive: true });
    const deeds = [...(earlier?.deeds ?? [])];
    await this.#lane.service.fresh('remembered');
    await age.live(home, deeds, new Play(name, stage), stage);
    return { name, home, deeds, earlier };
  }
}
