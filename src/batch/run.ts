import { setMaxListeners } from 'node:events';
import type { Claim } from '../once/engine/act.ts';
import { claim } from '../once/engine/claim.ts';
import type { EngineContext, Progress } from '../once/engine/context.ts';
import { carryOut } from '../once/engine/execute.ts';
import { type Outcome, type OutcomeToTell, outcomeToTell } from '../once/engine/outcome.ts';
import { paidAs, settleAsPaid } from '../once/engine/paidAs.ts';
import { sharedCommit } from './commitQueue.ts';
import { BatchPace } from './pace.ts';
import { type BatchOrder, type BatchPlan, paymentOfRow, type Row, type RowToDo, rowsToDo } from './plan.ts';
import { addCount } from './read.ts';
import { stateAfter } from './rowState.ts';
import { type Stop, StopRules } from './stopRules.ts';

type RunInputs = {
  readonly order: BatchOrder;
  readonly engine: EngineContext;
  readonly concurrency: number;
  readonly ratePerS: number | undefined;
  readonly maxFailures: number | undefined;
  /** Whether the options or a person chose to pay or skip rows that equal another payment. */
  readonly repeats: 'pay' | 'skip' | undefined;
  /** Called before each pause in which only rows are left that other processes are sending. */
  readonly onWaiting: (rows: number) => void;
  /** Called as a row ends. */
  readonly onEnd: (row: Row, ending: OutcomeToTell) => Promise<void>;
};

type Run = RunInputs & {
  readonly rules: StopRules;
  readonly rows: BatchPlan['ofName'];
  /** Payments that more than one row makes. */
  readonly repeated: ReadonlySet<string | undefined>;
  /** When this run first found that another process is sending a row. */
  readonly elsewhereSinceMs: Map<Row, number>;
};

/** Sends the rows that are not done, until all have ended or a rule stops the batch. */
export async function runBatch(plan: BatchPlan, inputs: RunInputs): Promise<Stop | undefined> {
  const { concurrency, engine: outer } = inputs;
  const { clock, chance, interrupts, journal, limits } = outer;
  const rules = new StopRules(inputs);
  const onInterrupt = (): void => rules.interrupt();
  // Each row adds a listener, and Node would warn about a leak.
  setMaxListeners(0, interrupts.first, interrupts.second, rules.signal);
  if (interrupts.first.aborted) onInterrupt();
  interrupts.first.addEventListener('abort', onInterrupt, { once: true });
  const pace = new BatchPace(clock, inputs.ratePerS, limits.maxWaitMs);
  let onTheirWay = 0;
  const step = (progress: Progress): void => {
    if (progress.is === 'sending') onTheirWay += 1;
    if (progress.is === 'came-back') {
      onTheirWay -= 1;
      if (typeof progress.what === 'number' && progress.what !== 429) pace.answered();
    }
    outer.observer.step(progress);
  };
  const commit = sharedCommit(journal, () => onTheirWay > concurrency / 4);
  // A row that another process is sending is tried again later: the engine does not wait for it.
  const own = { pace, commit, limits: { ...limits, ownerWaitMs: 0 } };
  const engine = { ...outer, ...own, observer: { ...outer.observer, step } };
  const repeated = paidTwice(plan, engine);
  const run: Run = { ...inputs, engine, rules, rows: plan.ofName, repeated, elsewhereSinceMs: new Map() };
  const slots = new Slots(concurrency);
  // Reversed, to take rows from the end: taking 250,000 from the front takes a minute.
  let left = rowsToDo(plan).reverse();
  let elsewhere: RowToDo[] = [];
  const doRow = async (row: RowToDo, leave: () => void): Promise<void> => {
    const step = await claimRow(row, run);
    if (!isWaitedFor(row, step, run)) return finish(row, step, run, leave);
    elsewhere.push(row);
    // Move away from the other process: each then claims rows at a different place.
    const at = Math.floor(chance.fraction() * left.length);
    left = [...left.slice(at), ...left.slice(0, at)];
  };
  while (rules.stop === undefined) {
    await slots.free();
    if (left.length === 0) {
      await slots.done();
      if (elsewhere.length === 0 || rules.stop !== undefined) break;
      await waitForOthers(elsewhere.length, run);
      [left, elsewhere] = [elsewhere, []];
    }
    await pace.turn(rules.signal);
    const isToRead = inputs.order.kind === 'transfer' && left.length % readOnAfter === 0;
    if (isToRead) await plan.ofName.readOn(journal.reads);
    const row = rules.stop === undefined ? left.pop() : undefined;
    if (row !== undefined) slots.take((leave) => doRow(row, leave).catch((thrown) => rules.fail(thrown)));
  }
  await slots.done();
  interrupts.first.removeEventListener('abort', onInterrupt);
  return rules.stop;
}

/**
 * Every so many rows, the run reads which rows of this batch were begun since the last such read. A claim then reads only
 * those begun after that. Reading more often would cost too many round trips to a server.
 */
const readOnAfter = 64;

/** One slot for each row that may be sent at a time. One commit claims rows for all free slots. */
class Slots {
  readonly #all: number;
  #free: number;
  #onChange = (): void => {};
  readonly #works = new Set<Promise<void>>();

  constructor(all: number) {
    this.#all = all;
    this.#free = all;
  }

  /** The slot becomes free when the work calls `leave`, at the latest when the work ends. */
  take(work: (leave: () => void) => Promise<void>): void {
    let isIn = true;
    const leave = (): void => {
      if (isIn) this.#free += 1;
      isIn = false;
      this.#onChange();
    };
    this.#free -= 1;
    const working = work(leave).then(() => {
      this.#works.delete(working);
      leave();
    });
    this.#works.add(working);
  }

  /** Also waits for a slow reader of the results: rows that left their slot are still being recorded and reported. */
  async free(): Promise<void> {
    while (this.#free === 0 || this.#works.size >= 2 * this.#all)
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
  }

  async done(): Promise<void> {
    await Promise.all(this.#works);
  }
}

function paidTwice({ rows }: BatchPlan, { bot }: EngineContext): Set<string | undefined> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const payment = paymentOfRow(row, bot);
    if (payment !== undefined) addCount(counts, payment);
  }
  return new Set([...counts].flatMap(([payment, times]) => (times > 1 ? [payment] : [])));
}

async function claimRow(row: RowToDo, run: Run): Promise<Claim | Outcome> {
  const { order, engine, rows, repeated, repeats } = run;
  const { identity, equal, equalIds: ids } = row;
  // One payment settles one row. If several rows equal it, a person decides which one it settles.
  const isRepeated = repeated.has(paymentOfRow(row, engine.bot));
  if (equal !== undefined && repeats === 'skip') return settleAsPaid(identity, equal, engine, isRepeated);
  // A person answered only about the payments that the plan found.
  const asking: EngineContext = { ...engine, besides: order.paysRepeats === true ? 'all' : { rows, ids } };
  const step = await claim(identity.order, asking, undefined, identity);
  if (repeats !== 'skip' || step.is !== 'not-sent' || step.because !== 'paid-already') return step;
  return settleAsPaid(identity, step.equal, engine, isRepeated);
}

/** Whether to try the row again later because another process is sending it, for --max-wait at most. */
function isWaitedFor(row: Row, step: Claim | Outcome, { elsewhereSinceMs, engine, rules }: Run): boolean {
  if (step.is !== 'still-sending') return false;
  const nowMs = engine.clock.now();
  const sinceMs = elsewhereSinceMs.get(row) ?? nowMs;
  elsewhereSinceMs.set(row, sinceMs);
  return rules.stop === undefined && nowMs - sinceMs < engine.limits.maxWaitMs;
}

const lookAgainMs = 250;

async function waitForOthers(rows: number, { engine, rules, onWaiting }: Run): Promise<void> {
  onWaiting(rows);
  // Random, or several processes would look at the same time.
  await engine.clock.sleep(lookAgainMs * (0.75 + engine.chance.fraction() / 2), rules.signal);
}

/** Sends a claimed row and records how it ended. An accepted row leaves its slot before that is recorded. */
async function finish(row: Row, step: Claim | Outcome, run: Run, leave: () => void): Promise<void> {
  const { engine, rules, onEnd } = run;
  const outcome = step.is === 'claim' ? await carryOut(step, engine, leave) : step;
  const ending = outcomeToTell(outcome);
  row.sent = step.is === 'claim' && !(outcome.is === 'concluded' && outcome.replayed);
  row.outcome = stateAfter(outcome);
  // In the outcome `not-sent`, `entry` is the one that blocks the row, not the row's own.
  if (outcome.is !== 'not-sent') row.entry = outcome.entry.id;
  if (outcome.is === 'concluded') row.paidAs = await paidAs(outcome.entry, engine.journal.reads);
  rules.note(ending, row.sent);
  await onEnd(row, ending);
}
