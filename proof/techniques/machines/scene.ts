import type { Home } from '../../../test/support/home.ts';
import type { Side } from '../../../test/support/postgres/messages.ts';
import type { How } from '../../../test/support/postgres/passage.ts';
import type { Stage } from '../../arena.ts';
import type { Kept } from '../../look.ts';
import { Play, type RunOptions } from '../../play.ts';
import type { Ran } from '../../run.ts';
import { shortened } from '../../told.ts';
import type { Deed } from './deeds.ts';
import type { Harbour } from './harbour.ts';

/** One message of the conversation with the server: the n-th of that side. */
export type Spot = { readonly from: Side; readonly nth: number; readonly words: string };

export type Machine = 0 | 1 | 2 | 3;

/** On a slow day a process can stay silent for a lease and be replaced by another; it then knows no more. */
export const endsInCompany = [0, 9, 11];
/** How a command ends whose server was away, or that others have replaced. */
export const endsBroken = [0, 8, 9, 11];

/** One deed, done by any of the machines, and checked against the truth. */
export class Scene extends Play {
  readonly deed: Deed;
  readonly harbour: Harbour;

  constructor(where: string, deed: Deed, harbour: Harbour, stage: Stage) {
    super(`${deed.kind}, ${where}`, stage);
    this.deed = deed;
    this.harbour = harbour;
  }

  override get home(): Home {
    return this.harbour.homes[0];
  }

  override async run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const before = (await this.effects()).length;
    const ran = await super.run(argv, { limitMs: 120_000, ...options });
    const isRefused = (ran.code === 1 || ran.code === 8) && /Nothing was sent\b/u.test(ran.stdout);
    if (isRefused && !options.isOneOfMany && (await this.effects()).length > before)
      this.wrong(`nothing was sent, it said, and something was: ${shortened(ran)}`);
    return ran;
  }

  /** The deed's command on this machine. */
  on(machine: Machine, options: RunOptions = {}): Promise<Ran> {
    const { argv, stdin } = this.deed;
    return this.run(argv, { home: this.harbour.homes[machine], stdin, ...options });
  }

  /** On the first machine, whose connection breaks at this message. What is held then goes on afterwards. */
  async broken(
    { from, nth }: Spot,
    how: How,
    options: RunOptions,
    meanwhile: () => Promise<void>,
  ): Promise<Ran> {
    const { proxy } = this.harbour;
    const broken = proxy.when({ from, has: '', nth }, how);
    const running = this.on(0, options);
    const isBroken = await Promise.race([broken.then(() => true), running.then(() => false)]);
    proxy.disarm();
    if (isBroken) await meanwhile();
    proxy.release();
    return running;
  }

  /**
   * Whatever happened: on another machine, and now and then a third, the same command comes to its end, and it
   * happened once. What is rightly left to a person is sent again by one.
   */
  async settle({ mayBeHeld = false } = {}): Promise<void> {
    await this.journaled();
    await this.stage.lane.service.clearFaults();
    const ends = mayBeHeld ? [0, 10] : [0];
    let ran = await this.on(2);
    this.expectExit(ran, ...ends);
    if (ran.code === 10) {
      for (const { id } of await this.#own())
        await this.run(['resume', id, '--yes', '--json'], { home: this.harbour.homes[1] });
      ran = await this.on(2);
    }
    if (this.where.length % 3 === 0) ran = await this.on(3);
    this.expectExit(ran, ...ends);
    await this.journaled();
    for (const { key, state, attempts } of await this.#own()) {
      if (ran.code === 0 && state !== 'accepted')
        this.wrong(`the journal says ${state}, and it had happened`);
      const requests = this.heard.filter((one) => one.key === key).length;
      if (requests > attempts) this.wrong(`${requests} requests were made of ${attempts} attempts on record`);
    }
    await this.over(this.deed.effects);
  }

  /** What the journal has of what took effect; the rest is what other cases have left. */
  async #own(): Promise<Kept[]> {
    const keys = new Set((await this.effects()).map(({ key }) => key ?? ''));
    return (await this.stage.lane.kept(this.home)).filter(({ key }) => keys.has(key));
  }

  /** How many requests have been made of the service. */
  get requests(): number {
    return this.heard.filter(({ key }) => key !== undefined).length;
  }
}
