import type { Home } from '../testing/home.ts';
import { type LedgerEffect, recipient } from '../testing/sandbox.ts';
import type { Lane } from './lane.ts';
import { intentsIn, journalOf, type Kept } from './look.ts';
import type { Program, Programs } from './programs.ts';
import { objectsOf, type Ran, run, type Start } from './run.ts';
import type { Tally } from './tally.ts';
import { journalRefusal, lateness, misbehaviour, ranOutOfTime, shortened, toldBy, untrue } from './told.ts';

export type Operation = 'message' | 'transfer';
export const operations: readonly Operation[] = ['message', 'transfer'];

/** The words of a command that should happen once. A message without a name is another one as soon as it was told. */
export function command(operation: Operation, ...more: readonly string[]): string[] {
  const isNamed = operation === 'transfer' || more.includes('--once');
  return unnamed(operation, ...(isNamed ? [] : ['--once', 'the-one']), ...more);
}

export function unnamed(operation: Operation, ...more: readonly string[]): string[] {
  const words =
    operation === 'message'
      ? ['send', '--conversation', 'conv_demo', '--content', 'Once, please']
      : ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', '0.001'];
  return [...words, ...more, '--json'];
}

export type Stage = {
  readonly lane: Lane;
  readonly tally: Tally;
  readonly programs: Programs;
  /** Here a journal may well be called busy, or refuse what came back. */
  readonly isDiskFailing?: true;
  /** The journal is on a server, which may be away. */
  readonly isShared?: true;
};

type RunOptions = {
  readonly program?: Program;
  readonly env?: Readonly<Record<string, string>>;
  /** Not the machine that began: of that one's requests it knows nothing. */
  readonly isElsewhere?: boolean;
  /** Others do other things meanwhile: what names no intent is no word on what happened. */
  readonly isOneOfMany?: boolean;
  /** It was done before this story begins. */
  readonly isOld?: boolean;
  /** A refusal of the journal is no word on the intent. */
  readonly isJournalHurt?: boolean;
  readonly baseUrl?: string;
} & Pick<Start, 'under' | 'limitMs' | 'stdin' | 'started'>;

/** The story of one intent: its commands in order, each checked against the truth. */
export class Play {
  readonly where: string;
  readonly #stage: Stage;
  /** What was done before this story begins. */
  readonly #known = new Set<string>();
  /** One of its commands ran out of time: what it should have done may be undone. */
  #isLate = false;

  constructor(where: string, stage: Stage) {
    this.where = where;
    this.#stage = stage;
  }

  ignore(kept: readonly Kept[]): void {
    for (const { key } of kept) this.#known.add(key);
  }

  async run(argv: readonly string[], home: Home, options: RunOptions = {}): Promise<Ran> {
    const { lane, programs } = this.#stage;
    const {
      program = programs.plain,
      env,
      isElsewhere,
      isOld,
      isJournalHurt,
      isOneOfMany,
      baseUrl,
      ...start
    } = options;
    const ran = await run(program.bin, argv, { ...start, env: { ...lane.env(home, baseUrl), ...env } });
    this.judge(ran);
    if (isJournalHurt === true && journalRefusal(ran) !== undefined) return ran;
    if (['send', 'transfer', 'batch'].includes(argv[0] ?? '')) {
      const { key } = toldBy(ran);
      if (isOneOfMany === true && (key === undefined || argv[0] === 'batch')) return ran;
      const effects =
        isOld === true && key !== undefined ? await this.#madeUnder(ran) : await lane.service.effects();
      for (const what of untrue(ran, effects, isElsewhere)) this.wrong(what);
    }
    return ran;
  }

  /** What there is in all the ledger of the intents that were told of. */
  async #madeUnder(ran: Ran): Promise<LedgerEffect[]> {
    const lines = (objectsOf(ran) ?? []) as { readonly intent?: { readonly key: string } }[];
    const keys = lines.flatMap(({ intent }) => (intent === undefined ? [] : [intent.key]));
    return (await Promise.all(keys.map((key) => this.#stage.lane.service.ledger({ key })))).flat();
  }

  /** What a command may never do, whatever it was asked. */
  judge(ran: Ran): void {
    const { isDiskFailing, isShared } = this.#stage;
    this.#isLate ||= ranOutOfTime(ran);
    for (const what of misbehaviour(ran, isDiskFailing, isShared)) this.wrong(what);
    for (const what of lateness(ran, isDiskFailing)) this.unmet(what);
  }

  /** The intent must have come to its end. */
  expectExit(ran: Ran, ...exits: readonly number[]): void {
    if (ran.code === null || !exits.includes(ran.code))
      this.unmet(`exit ${exits.join(' or ')} was to be expected: ${shortened(ran)}`);
  }

  /** The journal's own list must say of each intent what the ledger says. */
  async history(home: Home, states: readonly string[], program?: Program): Promise<void> {
    const ran = await this.run(['history', '--json'], home, program ? { program } : {});
    this.expectExit(ran, 0);
    const effects = await this.#stage.lane.service.effects();
    for (const line of objectsOf(ran) ?? []) {
      const { intent } = line as { intent?: { key: string; state: string } };
      if (intent === undefined || this.#known.has(intent.key)) continue;
      const happened = effects.some(({ key }) => key === intent.key);
      if (!states.includes(intent.state)) this.unmet(`history says ${intent.state}`);
      if (happened && (intent.state === 'open' || intent.state === 'rejected'))
        this.wrong(`history says ${intent.state}, and it had happened`);
      if (!happened && intent.state === 'accepted')
        this.wrong('history says accepted, and it had not happened');
    }
  }

  /** What took effect must be in the journal, and nowhere in it as something that did not. */
  async journaled(home: Home): Promise<void> {
    const kept = intentsIn(journalOf(home));
    for (const { key } of await this.#stage.lane.service.effects()) {
      const intent = kept.find((one) => one.key === key);
      if (intent === undefined) this.wrong(`${key} took effect, and the journal does not know it`);
      else if (intent.state === 'open' || intent.state === 'rejected')
        this.wrong(`the journal says ${intent.state}, and it had happened`);
    }
  }

  effects(): Promise<LedgerEffect[]> {
    return this.#stage.lane.service.effects();
  }

  /** The end of a story of one intent. */
  async over(expected: number): Promise<void> {
    const found = (await this.#stage.lane.service.effects()).length;
    const { tally } = this.#stage;
    tally.count(expected, found);
    for (let extra = expected; extra < found; extra += 1)
      tally.find('duplicated', this.where, `${found} effects instead of ${expected}`);
    for (let missing = found; missing < expected; missing += 1)
      tally.find('lost', this.where, `${found} effects instead of ${expected}`, this.#isLate);
  }

  /** Wrong at any pace. */
  wrong(what: string): void {
    this.#stage.tally.find('wrongly reported', this.where, what);
  }

  /** An expectation that is not met. If a command ran out of time, that may be why. */
  unmet(what: string): void {
    this.#stage.tally.find('wrongly reported', this.where, what, this.#isLate);
  }
}
