import type { Home } from '../../../testing/home.ts';
import type { LedgerEffect } from '../../../testing/sandbox.ts';
import { Play, type Stage } from '../../play.ts';
import type { Ran } from '../../run.ts';
import { shortened } from '../../told.ts';
import { type Deed, patient } from './deed.ts';
import type { Harbour } from './harbour.ts';

type Extra = Omit<NonNullable<Parameters<Play['run']>[2]>, 'stdin'>;

/** On a slow day a process can stay silent for a lease and be replaced by another; it then knows no more. */
export const endsInCompany = [0, 9, 11];

/** One deed, done by any of the machines, and checked against the truth. */
export class Scene {
  readonly play: Play;
  readonly deed: Deed;
  readonly harbour: Harbour;
  readonly stage: Stage;

  constructor(where: string, deed: Deed, harbour: Harbour, stage: Stage) {
    this.play = new Play(`${deed.name}, ${where}`, stage);
    this.deed = deed;
    this.harbour = harbour;
    this.stage = stage;
  }

  machine(number: 0 | 1 | 2 | 3): Home {
    return this.harbour.homes[number];
  }

  /** The deed's command on this machine. */
  async run(machine: 0 | 1 | 2 | 3, extra: Extra = {}): Promise<Ran> {
    const { argv, stdin } = this.deed;
    const before = (await this.play.effects()).length;
    const ran = await this.play.run(argv, this.machine(machine), {
      limitMs: 120_000,
      ...extra,
      ...(stdin === undefined ? {} : { stdin }),
    });
    const isRefused = (ran.code === 1 || ran.code === 8) && /Nothing was sent\b/u.test(ran.stdout);
    if (isRefused && !extra.isOneOfMany && (await this.play.effects()).length > before)
      this.play.wrong(`nothing was sent, it said, and something was: ${shortened(ran)}`);
    return ran;
  }

  /**
   * Whatever happened: on another machine, and now and then a third, the same command comes to its end, and it
   * happened once. What is rightly left to a person is sent again by one.
   */
  async settle({ mayBeHeld = false, expected = this.deed.expected } = {}): Promise<void> {
    await this.journaled();
    await this.stage.lane.service.clearFaults();
    const ends = mayBeHeld ? [0, 10] : [0];
    let ran = await this.run(2);
    this.play.expectExit(ran, ...ends);
    if (ran.code === 10) {
      const keys = new Set((await this.effects()).map(({ key }) => key ?? ''));
      // Not what other cases have left.
      for (const { id, key } of await this.harbour.kept())
        if (keys.has(key))
          await this.play.run(['resume', id, '--yes', ...patient], this.machine(1), { limitMs: 120_000 });
      ran = await this.run(2);
    }
    if (this.play.where.length % 3 === 0) ran = await this.run(3);
    this.play.expectExit(ran, ...ends);
    await this.journaled(ran.code === 0);
    await this.play.over(expected);
  }

  /** What took effect is on record, as something that may have; and no request left that is not. */
  async journaled(isSettled = false, hasForgotten = false): Promise<void> {
    const kept = await this.harbour.kept();
    const { heard } = this.stage.lane.service;
    for (const { key } of await this.play.effects()) {
      const intent = kept.find((one) => one.key === key);
      if (intent === undefined) {
        this.play.wrong(`${key} took effect, and the journal does not know it`);
        continue;
      }
      if (
        intent.state === 'open' ||
        intent.state === 'rejected' ||
        (isSettled && intent.state !== 'accepted')
      )
        this.play.wrong(`the journal says ${intent.state}, and it had happened`);
      const requests = heard.filter((one) => one.key === key).length;
      if (!hasForgotten && requests > intent.attempts)
        this.play.wrong(`${requests} requests were made of ${intent.attempts} attempts on record`);
    }
  }

  /** How many requests have been made of the service, of whatever. */
  get requests(): number {
    return this.stage.lane.service.heard.filter(({ key }) => key !== undefined).length;
  }

  effects(): Promise<LedgerEffect[]> {
    return this.play.effects();
  }
}
