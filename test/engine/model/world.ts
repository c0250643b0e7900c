import { expect } from 'vitest';
import { decideOutcome } from '../../../src/engine/decide.ts';
import type { Doing, Ended } from '../../../src/engine/doing.ts';
import { execute } from '../../../src/engine/execute.ts';
import { resume } from '../../../src/engine/resume.ts';
import type { Intent, Journal } from '../../../src/journal/journal.ts';
import type { Flight, Shipment } from '../../../src/wire/flight.ts';
import { Workshop } from '../../helpers/workshop.ts';
import { type Kind, keyAges, type Naming, twinBars, windows } from '../design.ts';
import { type Fate, ModelService } from './service.ts';
import { commands, type Death, type History, type Step } from './steps.ts';

/** What the caller of an unnamed command knows of it: enough to say when doing it anew is no repetition. */
type Known = { lastId: string; toldAtMs: number | undefined };

const namingOf: Record<string, Naming> = { once: 'once', run: 'run', key: 'key' };

type Before = {
  readonly mine: string;
  readonly unnamed: boolean;
  readonly mayBegin: boolean;
  readonly count: number;
};

/** One machine, one service, and the promise between them, held up after every step. */
export class World {
  readonly shop: Workshop;
  readonly #service: ModelService;
  /** A process that only looks. */
  readonly #watcher: Journal;
  readonly #known = new Map<string, Known>();
  readonly #keys = new Map<string, string>();
  readonly #bodies = new Map<string, { body: string; attempts: number }>();
  /** Keys about which an operator decided wrongly: what follows is the operator's. */
  readonly #excused = new Set<string>();
  readonly #inFlight = new Set<string>();
  readonly #broken: unknown[] = [];

  constructor({ reading }: History, folder?: string) {
    this.shop = new Workshop(folder);
    this.#service = new ModelService(reading, () => this.shop.clock.now());
    this.#watcher = this.shop.open();
  }

  close(): void {
    this.shop.remove();
  }

  async take(step: Step): Promise<void> {
    switch (step.is) {
      case 'run': {
        const { asked, bot } = this.#command(step.command);
        const before = this.#before(step.command);
        const ended = await this.#live(step.fates, step.death, { bot, token: step.token }, (doing) =>
          execute(asked, doing),
        );
        this.#after(before, ended, step.told);
        break;
      }
      case 'run-twice-at-once': {
        const { asked, bot } = this.#command(step.command);
        const before = this.#before(step.command);
        const [left, right] = await Promise.all([
          this.#live(step.fates, undefined, { bot }, (doing) => execute(asked, doing)),
          this.#live(step.fates, step.death, { bot }, (doing) => execute(asked, doing)),
        ]);
        this.#after(before, left ?? right, step.told);
        break;
      }
      case 'resume':
        await this.#resume(step);
        break;
      case 'resolve':
        this.#resolve(step);
        break;
      case 'time-passes':
        this.#service.settle();
        this.shop.clock.nowMs += step.ms;
        break;
      case 'clock-steps-back':
        this.#service.settle();
        this.shop.clock.nowMs -= step.ms;
        break;
    }
    this.#holdUp();
  }

  #command(index: number): (typeof commands)[number] {
    const found = commands[index];
    if (found === undefined) throw new Error('no such command');
    return found;
  }

  #intents(): Intent[] {
    return [...this.#watcher.select({ limit: 1000 })];
  }

  /** Lives until its end or its death; whoever dies says nothing. */
  async #live(
    fates: readonly Fate[],
    death: Death | undefined,
    as: { bot?: string; token?: string },
    work: (doing: Doing) => Promise<Ended>,
  ): Promise<Ended | undefined> {
    const journal = this.shop.open();
    let steps = 0;
    let die: () => void = () => {};
    const dead = new Promise<undefined>((resolve) => {
      die = () => resolve(undefined);
    });
    const gone = new Promise<never>(() => {});
    /** Each commit, flight and pause is a step; the dead do nothing more. */
    const mortal = async <Result>(doIt: () => Result | Promise<Result>): Promise<Result> => {
      const mine = steps;
      steps += 1;
      const last = death !== undefined && mine >= death.atStep;
      if (!last) return doIt();
      if (mine === death.atStep && death.after) await doIt();
      die();
      return gone;
    };
    let flown = 0;
    const doing = this.shop.doing({
      ...as,
      journal,
      limits: { retries: 2, maxWaitMs: 60_000 },
      commit: (work) => mortal(() => journal.atomically(work)),
      clock: {
        now: () => this.shop.clock.now(),
        sleep: (ms, signal) => mortal(() => this.shop.clock.sleep(ms, signal)),
      },
      service: {
        url: 'https://bots.example',
        line: {
          fly: (shipment) =>
            mortal(async () => {
              const fate = fates[flown] ?? 'lost-undone';
              flown += 1;
              try {
                return await this.#fly(shipment, fate);
              } catch (broken) {
                // The engine takes what a line throws for a lost reply: the promise is not to be lost with it.
                this.#broken.push(broken);
                throw broken;
              }
            }),
          close: async () => {},
        },
      },
    });
    const ended = await Promise.race([work(doing), dead]);
    this.shop.end(journal);
    // Nothing is the matter with this disk: a journal that refuses something was asked for what it forbids.
    if (ended?.is === 'not-recorded') throw ended.cause;
    return ended;
  }

  async #fly(shipment: Shipment, fate: Fate): Promise<Flight> {
    const body = Buffer.from(shipment.body).toString();
    const kind: Kind = shipment.url.endsWith('/messages/send') ? 'message' : 'transfer';
    const { idempotency_key: key } = JSON.parse(body) as { idempotency_key: string };
    this.#expectOnRecord(key, body);
    const flight = this.#service.answer({ kind, key, body }, fate);
    expect([...this.#inFlight]).not.toContain(key);
    this.#inFlight.add(key);
    // Others get their turn while it is under way.
    for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
    this.#inFlight.delete(key);
    return flight;
  }

  /** Whatever leaves is on record first; it is frozen; and it is nobody's unsettled twin. */
  #expectOnRecord(key: string, body: string): void {
    const intent = this.#intents().find((one) => one.key === key);
    if (intent === undefined) throw new Error(`${key} left without an intent`);
    expect(intent.state).toBe('sending');
    expect(Buffer.from(intent.body).toString()).toBe(body);
    const attempts = this.#watcher.attemptsOf(intent.id);
    expect(attempts.at(-1)).toMatchObject({ verdict: undefined });
    const before = this.#bodies.get(key);
    if (before !== undefined && before.body !== body) {
      const plainlyRefused = attempts
        .slice(0, before.attempts)
        .every(({ verdict }) => verdict === 'rejected' || verdict === 'unsent' || verdict === 'limited');
      expect(plainlyRefused).toBe(true);
    }
    this.#bodies.set(key, { body, attempts: attempts.length });
    if (!intent.tainted) this.#expectNoTwin(intent);
  }

  #expectNoTwin(intent: Intent): void {
    for (const other of this.#intents()) {
      if (other.id === intent.id || other.payment !== intent.payment) continue;
      const bars = twinBars({
        kind: intent.kind,
        mayHaveLanded: false,
        mine: namingOf[intent.namedBy ?? ''] ?? 'unnamed',
        other: {
          state: other.state,
          ownerLives: other.owner !== undefined && this.#watcher.isAlive(other.owner),
          naming: namingOf[other.namedBy ?? ''] ?? 'unnamed',
        },
      });
      expect({ sent: intent.id, beside: other.id, bars }).toEqual({
        sent: intent.id,
        beside: other.id,
        bars: false,
      });
    }
  }

  #before(index: number): Before {
    const { asked, bot } = this.#command(index);
    const mine = JSON.stringify([asked, bot]);
    const known = this.#known.get(mine);
    const last = known && this.#watcher.get(known.lastId);
    return {
      mine,
      unnamed: asked.naming.by === 'nothing',
      mayBegin: last === undefined || this.#isOver(last, known?.toldAtMs),
      count: this.#intents().length,
    };
  }

  /** Whether doing the same anew is no repetition of this one. */
  #isOver(last: Intent, toldAtMs: number | undefined): boolean {
    const nowMs = this.shop.clock.now();
    if (last.state === 'rejected' || last.resolvedAs === 'did-not-happen') return true;
    if (last.state === 'accepted' || last.resolvedAs === 'happened') {
      return toldAtMs !== undefined && nowMs - toldAtMs > windows[last.kind];
    }
    const { mayHaveLandedAtMs } = last;
    const forgotten =
      mayHaveLandedAtMs !== undefined &&
      (nowMs - mayHaveLandedAtMs > keyAges.message ||
        nowMs < last.updatedAtMs ||
        nowMs < last.createdAtMs ||
        nowMs < mayHaveLandedAtMs);
    // One that died in flight is dated by nobody yet.
    const diedLongAgo =
      last.state === 'sending' && (nowMs - last.updatedAtMs > keyAges.message || nowMs < last.updatedAtMs);
    return last.kind === 'message' && (forgotten || diedLongAgo);
  }

  #after(before: Before, ended: Ended | undefined, told: boolean): void {
    const intents = this.#intents();
    const begun = intents.length - before.count;
    expect(begun).toBeLessThanOrEqual(1);
    const [newest] = intents.sort((left, right) => right.id.localeCompare(left.id));
    if (before.unnamed && begun === 1 && newest !== undefined) {
      expect({ command: before.mine, mayBegin: before.mayBegin }).toEqual({
        command: before.mine,
        mayBegin: true,
      });
      this.#known.set(before.mine, { lastId: newest.id, toldAtMs: undefined });
    }
    if (ended?.is !== 'concluded') return;
    const { id, state, resolvedAs } = ended.intent;
    expect(this.#watcher.get(id)?.state).toBe(state);
    if (!told || !(state === 'accepted' || resolvedAs === 'happened')) return;
    this.#watcher.markReported(id, this.shop.clock.now());
    const known = this.#known.get(before.mine);
    if (known?.lastId === id) known.toldAtMs ??= this.shop.clock.now();
  }

  #pick(which: number): Intent | undefined {
    const intents = this.#intents().sort((left, right) => left.id.localeCompare(right.id));
    return intents[which % Math.max(1, intents.length)];
  }

  async #resume({ which, sendAgain, fates, death }: Extract<Step, { is: 'resume' }>): Promise<void> {
    const intent = this.#pick(which);
    if (intent === undefined) return;
    const word = sendAgain ? this.shop.word('send-again') : undefined;
    const couldRepeat =
      this.#service.effectsOf(intent.key) > 0 && !this.#service.knows(intent.kind, intent.key);
    if (word !== undefined && intent.state === 'held' && couldRepeat) this.#excused.add(intent.key);
    await this.#live(fates, death, { bot: intent.bot }, (doing) => resume(intent.id, doing, word));
  }

  #resolve({ which, rightly }: Extract<Step, { is: 'resolve' }>): void {
    const intent = this.#pick(which);
    if (intent === undefined || intent.state === 'accepted' || intent.state === 'rejected') return;
    // Whoever looks has waited until nothing is under way any more.
    this.#service.settle();
    const happened = this.#service.effectsOf(intent.key) > 0;
    if (!rightly) this.#excused.add(intent.key);
    const kind = happened === rightly ? 'happened' : 'did-not-happen';
    decideOutcome(intent.id, this.shop.word(kind), this.#watcher);
  }

  /** The promise: after every step, whatever it was. */
  #holdUp(): void {
    if (this.#broken.length > 0) throw this.#broken[0];
    const unsettled = new Map<string, number>();
    for (const { id, key, state, identity, tainted } of this.#intents()) {
      expect(this.#keys.get(id) ?? key).toBe(key);
      this.#keys.set(id, key);
      const effects = this.#service.effectsOf(key);
      if (!this.#excused.has(key)) {
        expect({ id, effects: Math.max(effects, 1) }).toEqual({ id, effects: 1 });
        if (state === 'accepted') expect({ id, state, effects }).toEqual({ id, state, effects: 1 });
        if (state === 'rejected' || state === 'open')
          expect({ id, state, effects }).toEqual({ id, state, effects: 0 });
      }
      if (effects > 0 && state !== 'accepted')
        expect({ id, tainted }).toEqual({ id, tainted: state !== 'sending' || tainted });
      if (state === 'unknown' || state === 'sending' || state === 'open') {
        unsettled.set(identity, (unsettled.get(identity) ?? 0) + 1);
      }
    }
    for (const [identity, count] of unsettled) expect({ identity, count }).toEqual({ identity, count: 1 });
    for (const { key } of this.#service.ledger) expect([...this.#keys.values()]).toContain(key);
  }
}
