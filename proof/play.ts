import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Home } from '../test/support/home.ts';
import type { FaultSpec, LedgerEffect } from '../test/support/sandbox.ts';
import type { Stage } from './arena.ts';
import { onceOnly } from './jobs.ts';
import { objectsOf, type Ran, run, type Start } from './run.ts';
import { journalRefusal, lateness, misbehaviour, ranOutOfTime, shortened, toldBy, untrue } from './told.ts';

export type RunOptions = {
  /** The machine; else the story's own. */
  readonly home?: Home;
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Not the machine that began: of that one's requests it knows nothing. */
  readonly isElsewhere?: boolean;
  /** Others do other things meanwhile: what names no entry is no word on what happened. */
  readonly isOneOfMany?: boolean;
  /** It was done before this story begins. */
  readonly isOld?: boolean;
  /** A refusal of the journal is no word on the entry. */
  readonly isJournalHurt?: boolean;
  readonly baseUrl?: string;
} & Pick<Start, 'under' | 'limitMs' | 'stdin' | 'started'>;

/** A command that stands still at a step. */
type Held = {
  /** The step that it stands at; undefined if it ended before. */
  readonly step: string | undefined;
  isOver(): boolean;
  goOn(): Promise<Ran>;
};

/** What was there before a command runs, and what the service will do. */
export type Setting = {
  readonly faults?: readonly FaultSpec[];
  /** An earlier run of the same command, whose reply is lost. */
  readonly isResumed?: true;
};

export const lostReply: FaultSpec = { kind: 'drop', when: 'after' };

/** A story that begins now: the service has forgotten all others, but for the keys that it is told to keep. */
export async function begin(where: string, stage: Stage, keys?: 'remembered'): Promise<Play> {
  await stage.lane.service.fresh(keys);
  return new Play(where, stage);
}

/** The story of one entry: its commands in order, each checked against the truth. */
export class Play {
  readonly where: string;
  readonly stage: Stage;
  #home: Home | undefined;
  /** What was done before this story begins. */
  readonly #known = new Set<string>();
  /** One of its commands ran out of time: what it should have done may be undone. */
  #isLate = false;

  readonly #heardBefore: number;

  constructor(where: string, stage: Stage) {
    this.where = where;
    this.stage = stage;
    this.#heardBefore = stage.lane.service.heard.length;
  }

  /** The requests that the service has heard since this story began. */
  get heard(): Stage['lane']['service']['heard'] {
    return this.stage.lane.service.heard.slice(this.#heardBefore);
  }

  get home(): Home {
    this.#home ??= this.stage.machine();
    return this.#home;
  }

  async ignoreKept(): Promise<void> {
    for (const { key } of await this.stage.lane.kept(this.home)) this.#known.add(key);
  }

  async run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const { lane, programs } = this.stage;
    const { home = this.home, program = programs.plain, env, baseUrl, ...start } = options;
    const ran = await run(program, argv, { ...start, env: { ...lane.env(home, baseUrl), ...env } });
    this.judge(ran);
    if (options.isJournalHurt === true && journalRefusal(ran) !== undefined) return ran;
    if (['send', 'transfer', 'batch'].includes(argv[0] ?? '')) {
      const { key } = toldBy(ran);
      if (options.isOneOfMany === true && (key === undefined || argv[0] === 'batch')) return ran;
      const isOld = options.isOld === true && key !== undefined;
      const effects = isOld ? await lane.service.ledger() : await this.effects();
      for (const what of untrue(ran, effects, options.isElsewhere)) this.wrong(what);
    }
    return ran;
  }

  /** Dies at this step, by its number or name. */
  dying(step: string | number, argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.hooked(argv, options, { BOTCTL_PROOF_DIE_AT: String(step) });
  }

  hooked(argv: readonly string[], options: RunOptions, env: Record<string, string>): Promise<Ran> {
    const { hooked: program } = this.stage.programs;
    return this.run(argv, { ...options, program, env: { ...options.env, ...env } });
  }

  /** Stands still at this step, until it may go on. */
  async held(step: string, argv: readonly string[], options: RunOptions = {}): Promise<Held> {
    const folder = mkdtempSync(join((options.home ?? this.home).path, 'held-'));
    const mark = join(folder, 'held');
    let isOver = false;
    // It stands still for as long as another command takes, which has a limit of its own.
    const patience = { limitMs: 240_000, ...options };
    const hooks = { BOTCTL_PROOF_DIE_AT: step, BOTCTL_PROOF_HOLD: folder };
    const ran = this.hooked(argv, patience, hooks).finally(() => {
      isOver = true;
    });
    while (!isOver && !existsSync(mark)) await after(10);
    return {
      step: existsSync(mark) ? readFileSync(mark, 'utf8') : undefined,
      isOver: () => isOver,
      goOn: () => {
        writeFileSync(join(folder, 'go'), '');
        return ran;
      },
    };
  }

  /** The steps of the command, undisturbed. Where its request leaves, its record must be durable. */
  async steps(durable: string, argv: readonly string[], options: RunOptions = {}): Promise<string[]> {
    const file = join((options.home ?? this.home).path, 'steps');
    this.expectExit(await this.hooked(argv, options, { BOTCTL_PROOF_STEPS: file }), 0);
    const steps = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    for (const step of steps.filter((name) => name.startsWith('undici:client:sendHeaders'))) {
      if (!step.endsWith(`(${durable})`)) this.wrong(`a request left without a durable record: ${step}`);
    }
    return steps;
  }

  async prepare({ faults, isResumed }: Setting, argv: readonly string[], options: RunOptions): Promise<void> {
    const { service } = this.stage.lane;
    if (isResumed === true) {
      await service.faults(lostReply);
      this.expectExit(await this.run(onceOnly(argv), options), 9);
    }
    if (faults !== undefined) await service.faults(...faults);
  }

  /** What a command may never do, whatever it was asked. */
  judge(ran: Ran): void {
    const { isDiskFailing, isShared } = this.stage;
    this.#isLate ||= ranOutOfTime(ran);
    for (const what of misbehaviour(ran, isDiskFailing, isShared)) this.wrong(what);
    for (const what of lateness(ran, isDiskFailing)) this.unmet(what);
  }

  /** The entry must have come to its end. */
  expectExit(ran: Ran, ...exits: readonly number[]): void {
    if (ran.code === null || !exits.includes(ran.code))
      this.unmet(`exit ${exits.join(' or ')} was to be expected: ${shortened(ran)}`);
  }

  /** The journal's own list must say of each entry that it was accepted, and the ledger the same. */
  async history(): Promise<void> {
    const ran = await this.run(['history', '--json']);
    this.expectExit(ran, 0);
    const keys = new Set((await this.effects()).map(({ key }) => key));
    for (const line of objectsOf(ran) ?? []) {
      const { entry } = line as { entry?: { key: string; state: string } };
      if (entry === undefined || this.#known.has(entry.key)) continue;
      if (entry.state !== 'accepted') this.unmet(`history says ${entry.state}`);
      else if (!keys.has(entry.key)) this.wrong('history says accepted, and it had not happened');
    }
  }

  /** What took effect must be in the journal, and nowhere in it as something that did not. */
  async journaled(home = this.home): Promise<void> {
    const kept = await this.stage.lane.kept(home);
    for (const { key } of await this.effects()) {
      const entry = kept.find((one) => one.key === key);
      if (entry === undefined) this.wrong(`${key} took effect, and the journal does not know it`);
      else if (entry.state === 'open' || entry.state === 'rejected')
        this.wrong(`the journal says ${entry.state}, and it had happened`);
    }
  }

  effects(): Promise<LedgerEffect[]> {
    return this.stage.lane.service.effects();
  }

  /** The end of a story of one entry. */
  async over(expected: number): Promise<void> {
    const found = (await this.effects()).length;
    const { tally } = this.stage;
    tally.count(expected, found);
    for (let extra = expected; extra < found; extra += 1)
      tally.find('duplicated', this.where, `${found} effects instead of ${expected}`);
    for (let missing = found; missing < expected; missing += 1)
      tally.find('lost', this.where, `${found} effects instead of ${expected}`, this.#isLate);
  }

  /** Wrong at any pace. */
  wrong(what: string): void {
    this.stage.tally.find('wrongly reported', this.where, what);
  }

  /** An expectation that is not met. If a command ran out of time, that may be why. */
  unmet(what: string): void {
    this.stage.tally.find('wrongly reported', this.where, what, this.#isLate);
  }
}
