import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BatchPace, InFlightLimit } from '../../src/batch/pace.ts';
import { runRows } from '../../src/batch/runRows.ts';
import { Sheet } from '../../src/batch/sheet.ts';
import { StopRules } from '../../src/batch/stopRules.ts';
import type { Intent, Journal } from '../../src/once/journal/journal.ts';
import type { Flight, Shipment } from '../../src/once/wire/flight.ts';
import { allOf } from '../../testing/journals.ts';
import { lost, posted, ScriptedEngine } from '../../testing/scriptedEngine.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const rows = 8;
const lanes = { count: 5, isAhead: true };
const lookEveryMs = 1000;

type Fate = 'posted' | 'lost' | 'lost-undone' | 'stalled';
type Death = { readonly atStep: number; readonly after: boolean };
type Life = { readonly places: number; readonly fates: readonly Fate[]; readonly death: Death | undefined };
type Event =
  | { readonly is: 'starts'; readonly life: Life }
  | { readonly is: 'is-asked'; readonly which: number }
  | { readonly is: 'lands'; readonly flight: Flight }
  | { readonly is: 'time-passes' };

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

type Process = {
  readonly journal: Journal;
  readonly places: number;
  readonly ended: Promise<unknown>;
  lives: boolean;
};

/** Processes that work on one batch and one journal, and a service that knows its keys. */
class World {
  readonly #scripted = new ScriptedEngine();
  readonly #watcher = this.#scripted.open();
  readonly processes: Process[] = [];
  /** By key: what the service did, and the attempts that flew. */
  readonly #effects = new Map<string, number>();
  readonly #flown = new Set<string>();
  readonly #inFlight = new Map<string, Journal>();
  readonly #stalled: ((flight: Flight) => void)[] = [];
  readonly #broken: unknown[] = [];

  intents(): Promise<Intent[]> {
    return allOf(this.#watcher.reads.select({ limit: 100 }));
  }

  start({ places, fates, death }: Life): Process {
    const journal = this.#scripted.open();
    let steps = 0;
    const gone = new Promise<never>(() => {});
    /** Each commit, flight and pause is a step; the dead do nothing more. */
    const mortal = async <Result>(doIt: () => Promise<Result>): Promise<Result> => {
      steps += 1;
      if (!process.lives) return gone;
      if (death === undefined || steps <= death.atStep) return doIt();
      if (death.after) await doIt();
      this.#kill(process);
      return gone;
    };
    const fatesLeft = [...fates];
    const engine = this.#scripted.engine({
      journal,
      limits: { maxWaitMs: 10_000_000 },
      commit: (work, guards) => mortal(() => journal.commit(work, guards)),
      clock: {
        now: () => this.#scripted.clock.now(),
        sleep: (ms, signal) => mortal(() => this.#scripted.clock.sleep(ms, signal)),
      },
      connection: {
        url: 'https://bots.example' as never,
        channel: {
          fly: (shipment) => mortal(() => this.#fly(shipment, fatesLeft.shift() ?? 'posted', journal)),
          close: async () => {},
        },
      },
    });
    const rules = new StopRules({ kind: 'message', concurrency: 99, maxFailures: undefined });
    const sheet = sheetOfRows();
    const ended = runRows({
      order: { kind: 'message', name: 'news', recipients: 'any' },
      sheet,
      engine,
      pace: new BatchPace(engine.clock),
      rules,
      inFlightLimit: new InFlightLimit(places, rules.signal),
      lanes,
      rows,
      onWaiting: () => {},
      explain: async () => ({ tell: async () => {} }),
    }).then(({ stop }) => {
      if (process.lives && stop !== undefined) this.#broken.push(stop);
      this.#end(process);
    });
    const process: Process = { journal, places, ended, lives: true };
    this.processes.push(process);
    return process;
  }

  #kill(process: Process): void {
    for (const [key, journal] of this.#inFlight) if (journal === process.journal) this.#inFlight.delete(key);
    this.#end(process);
  }

  #end(process: Process): void {
    // Between commits: SQLite keeps a transaction, and its lock, of what is closed in the middle of one.
    if (process.lives) setImmediate(() => this.#scripted.end(process.journal));
    process.lives = false;
  }

  async #fly({ body }: Shipment, fate: Fate, journal: Journal): Promise<Flight> {
    const { idempotency_key: key } = JSON.parse(Buffer.from(body).toString()) as { idempotency_key: string };
    try {
      await this.#expectClaimed(key, journal);
    } catch (broken) {
      this.#broken.push(broken);
    }
    this.#inFlight.set(key, journal);
    if (fate !== 'lost-undone') this.#effects.set(key, 1);
    const flight = fate === 'posted' ? posted : lost;
    const landed =
      fate === 'stalled' ? await new Promise<Flight>((land) => this.#stalled.push(land)) : flight;
    if (this.#inFlight.get(key) === journal) this.#inFlight.delete(key);
    return landed;
  }

  /** What flies is on record as this process's, by an attempt that has no end and never flew before; and alone. */
  async #expectClaimed(key: string, journal: Journal): Promise<void> {
    const intent = (await this.intents()).find((one) => one.key === key);
    expect(intent).toMatchObject({ state: 'sending', owner: journal.self() });
    const last = (await this.#watcher.reads.attemptsOf(intent?.id ?? '')).at(-1);
    expect(last).toMatchObject({ number: intent?.attempts, verdict: undefined });
    expect(this.#inFlight.has(key)).toBe(false);
    const flight = `${key} ${last?.number}`;
    expect(this.#flown.has(flight)).toBe(false);
    this.#flown.add(flight);
  }

  async take(event: Event): Promise<void> {
    if (event.is === 'starts') this.start(event.life);
    if (event.is === 'lands') this.#stalled.shift()?.(event.flight);
    if (event.is === 'time-passes') vi.advanceTimersByTime(lookEveryMs);
    if (event.is === 'is-asked') await this.#ask(this.processes[event.which % this.processes.length]);
    await turns(20);
    if (this.#broken.length > 0) throw this.#broken[0];
    await this.#expectDoubtKept();
  }

  /** Within one look it has no more in hand than can be in flight, however many it had claimed. */
  async #ask(asked: Process | undefined): Promise<void> {
    if (asked?.lives !== true) return;
    const owner = asked.journal.self();
    await this.#watcher.askOwner(owner);
    vi.advanceTimersByTime(lookEveryMs);
    await turns(60);
    const inHand = (await this.intents()).filter((one) => one.state === 'sending' && one.owner === owner);
    if (asked.lives) expect(inHand.length).toBeLessThanOrEqual(asked.places);
  }

  /** Nothing is called open that may have happened. */
  async #expectDoubtKept(): Promise<void> {
    for (const { key, state, tainted } of await this.intents())
      if (state === 'open' || state === 'unknown')
        expect({ key, happened: this.#effects.has(key) && !tainted }).toEqual({ key, happened: false });
  }

  /** Everything lands, and one more process finds every row done or does it. */
  async finish(): Promise<void> {
    this.start({ places: 2, fates: [], death: undefined });
    for (let round = 0; this.processes.some(({ lives }) => lives); round += 1) {
      expect(round).toBeLessThan(500);
      await this.take({ is: 'lands', flight: posted });
      vi.advanceTimersByTime(lookEveryMs);
    }
    const intents = await this.intents();
    expect(intents.map(({ state }) => state)).toEqual(Array.from({ length: rows }, () => 'accepted'));
    for (const { id, key } of intents)
      for (const { number, trouble } of await this.#watcher.reads.attemptsOf(id))
        if (trouble?.is === 'given-back') expect([...this.#flown]).not.toContain(`${key} ${number}`);
  }

  async close(): Promise<void> {
    for (const process of this.processes) this.#end(process);
    await turns(2);
    this.#scripted.remove();
  }
}

function sheetOfRows(): Sheet {
  const sheet = new Sheet();
  for (let ordinal = 1; ordinal <= rows; ordinal += 1) {
    const request = JSON.stringify({ content: `row ${ordinal}`, conversation_id: 'conv_1' });
    const rest = { id: undefined, intent: undefined, problem: undefined };
    sheet.add({ ordinal, line: ordinal, row: `r${ordinal}`, standing: 'new', request, ...rest });
  }
  return sheet;
}

const life: fc.Arbitrary<Life> = fc.record({
  places: fc.integer({ min: 1, max: 2 }),
  fates: fc.array(fc.constantFrom<Fate>('posted', 'lost', 'lost-undone', 'stalled', 'stalled'), {
    maxLength: 5,
  }),
  death: fc.option(fc.record({ atStep: fc.nat(40), after: fc.boolean() }), { nil: undefined }),
});
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ is: fc.constant('starts' as const), life }),
  fc.record({ is: fc.constant('is-asked' as const), which: fc.nat(4) }),
  fc.record({ is: fc.constant('lands' as const), flight: fc.constantFrom(posted, lost) }),
  fc.record({ is: fc.constant('time-passes' as const) }),
);

test('whoever asks, dies or stalls: what was given back never flew, and what flies is its owner’s alone', async () => {
  let givenBack = 0;
  await fc.assert(
    fc.asyncProperty(life, fc.array(event, { maxLength: 12 }), async (first, events) => {
      const world = new World();
      try {
        await world.take({ is: 'starts', life: first });
        for (const one of events) await world.take(one);
        await world.finish();
        givenBack += (await world.intents()).filter(({ attempts }) => attempts > 1).length;
      } finally {
        await world.close();
      }
    }),
    { numRuns: Number(process.env.BOTCTL_RUNS ?? 20), endOnFailure: true },
  );
  expect(givenBack).toBeGreaterThan(0);
}, 600_000);

test('one that is asked has nothing ahead any more; one that is not keeps what it has claimed', async () => {
  const world = new World();
  try {
    const first = world.start({ places: 1, fates: ['stalled'], death: undefined });
    await turns(60);
    const sending = async (): Promise<number> =>
      (await world.intents()).filter(({ state }) => state === 'sending').length;
    expect(await sending()).toBe(lanes.count);
    await world.take({ is: 'time-passes' });
    expect(await sending()).toBe(lanes.count);
    await world.take({ is: 'is-asked', which: 0 });
    expect(await sending()).toBe(1);
    expect(first.lives).toBe(true);
    await world.finish();
  } finally {
    await world.close();
  }
});
