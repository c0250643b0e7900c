import type { Chance, Clock } from '../engine/ports.ts';
import type { Range, Runner } from '../journal/shares.ts';
import type { Ranges } from './ranges.ts';
import type { Sheet, SheetRow } from './sheet.ts';

/** A row in hand: to be ended, or put back. */
export type Turn = {
  readonly row: SheetRow;
  readonly range: OpenRange;
  /** When another process was first found to send it. */
  readonly elsewhereSinceMs?: number;
};

type OpenRange = {
  readonly range: Range;
  readonly rows: Iterator<SheetRow>;
  /** In hand, or put back. */
  begun: number;
  allBegun: boolean;
};

type PutBack = { readonly turn: Turn; readonly atMs: number };

type WorkInputs = {
  readonly sheet: Sheet;
  readonly ranges: Ranges;
  /** Rows that are wanted at a time. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly chance: Pick<Chance, 'fraction'>;
  /** How long others are waited for: for a row that they send, and for their rows. */
  readonly maxWaitMs: number;
  /** Aborts when nothing more is to be begun. */
  readonly stopped: AbortSignal;
  /** Told when nothing is left but what others have in hand. */
  readonly onWaiting: (others: readonly Runner[]) => void;
};

const lookAgainMs = 250;
const askAgainMs = 500;
const longestWaitMs = 1000;

/**
 * The rows that are left to do, one after the other. What another process sends is looked at again later and holds
 * nothing up; who has no rows left waits for those of others, which may die.
 */
export class WorkList {
  readonly #inputs: WorkInputs;
  readonly #open: OpenRange[] = [];
  readonly #holding = new Set<Range>();
  readonly #putBack: PutBack[] = [];
  #ended: Range[] = [];
  #taking: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  #wake = new AbortController();
  #askAtMs = 0;
  #idleSinceMs: number | undefined;
  #isOver = false;
  #others: readonly Runner[] = [];

  constructor(inputs: WorkInputs) {
    this.#inputs = inputs;
    inputs.stopped.addEventListener('abort', () => this.#wake.abort(), { once: true });
  }

  /** Whose rows were waited for in vain. */
  get waitedFor(): readonly Runner[] {
    return this.#isOver ? this.#others : [];
  }

  /** The next row; undefined when there is none, and none will come. */
  async next(): Promise<Turn | undefined> {
    while (!this.#inputs.stopped.aborted) {
      const turn = this.#due() ?? this.#fresh();
      if (turn !== undefined) return turn;
      if (this.#isOver && this.#putBack.length === 0) return undefined;
      if (!this.#isOver && this.#askAtMs <= this.#now) await this.#take();
      else await this.#wait();
    }
    return undefined;
  }

  end({ range }: Turn): void {
    range.begun -= 1;
    this.#endIfDone(range);
  }

  /** For later; false where it was waited for long enough. */
  putBack(turn: Turn): boolean {
    const { maxWaitMs, stopped } = this.#inputs;
    const { elsewhereSinceMs = this.#now } = turn;
    if (this.#now - elsewhereSinceMs >= maxWaitMs || stopped.aborted) return false;
    this.#putBack.push({
      turn: { ...turn, elsewhereSinceMs },
      atMs: this.#now + this.#jittered(lookAgainMs),
    });
    this.#wake.abort();
    return true;
  }

  get #now(): number {
    return this.#inputs.clock.now();
  }

  #jittered(waitMs: number): number {
    return waitMs * (0.75 + this.#inputs.chance.fraction() / 2);
  }

  #due(): Turn | undefined {
    const [first] = this.#putBack;
    if (first === undefined || first.atMs > this.#now) return undefined;
    this.#putBack.shift();
    return first.turn;
  }

  #fresh(): Turn | undefined {
    for (let [range] = this.#open; range !== undefined; [range] = this.#open) {
      const { value: row, done } = range.rows.next();
      if (done !== true) {
        range.begun += 1;
        if (this.#open.length === 1 && this.#isNearItsEnd(range.range, row)) this.#takeAhead();
        return { row, range };
      }
      this.#open.shift();
      range.allBegun = true;
      this.#endIfDone(range);
    }
    return undefined;
  }

  #endIfDone({ range, begun, allBegun }: OpenRange): void {
    if (!allBegun || begun > 0) return;
    this.#ended.push(range);
    this.#holding.delete(range);
    this.#askAtMs = 0;
    this.#wake.abort();
  }

  /** Asked for in time, the next rows are there when these have been begun; no sooner, or others would lack them. */
  #isNearItsEnd({ first, last }: Range, { ordinal }: SheetRow): boolean {
    return last - ordinal <= Math.min(this.#inputs.concurrency, (last - first) / 4);
  }

  #takeAhead(): void {
    if (this.#isOver || this.#askAtMs > this.#now) return;
    // Who then finds no row asks again, and hears what went wrong.
    this.#take().catch(() => {});
  }

  #take(): Promise<void> {
    this.#taking ??= this.#takeMore().finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  async #takeMore(): Promise<void> {
    const ended = this.#ended;
    this.#ended = [];
    const taken = await this.#inputs.ranges.take(ended, [...this.#holding]);
    if (taken.is === 'range') {
      this.#begin(taken.range);
      return;
    }
    this.#others = taken.others;
    const isDone = this.#holding.size === 0 && this.#ended.length === 0;
    if (isDone && taken.others.length === 0) this.#isOver = true;
    else if (isDone) this.#waitForOthers(taken.others);
    else this.#idleSinceMs = undefined;
    // Of a runner that has rows of its own nobody need know at once that another one is gone.
    if (this.#ended.length === 0) this.#askAtMs = this.#now + this.#jittered(askAgainMs);
  }

  #begin(range: Range): void {
    const rows = this.#rowsToDo(range);
    this.#open.push({ range, rows, begun: 0, allBegun: false });
    this.#holding.add(range);
    this.#askAtMs = 0;
    this.#idleSinceMs = undefined;
  }

  *#rowsToDo(range: Range): Generator<SheetRow> {
    for (const row of this.#inputs.sheet.rows(range)) {
      if (row.standing !== 'invalid' && row.standing !== 'done' && row.outcome === undefined) yield row;
    }
  }

  #waitForOthers(others: readonly Runner[]): void {
    if (this.#idleSinceMs === undefined) {
      this.#idleSinceMs = this.#now;
      this.#inputs.onWaiting(others);
    }
    if (this.#now - this.#idleSinceMs >= this.#inputs.maxWaitMs) this.#isOver = true;
  }

  #wait(): Promise<void> {
    this.#waiting ??= this.#waitForWork().finally(() => {
      this.#waiting = undefined;
    });
    return this.#waiting;
  }

  /** Until there may be something to do: for all who wait together. */
  async #waitForWork(): Promise<void> {
    const { clock, stopped } = this.#inputs;
    this.#wake = new AbortController();
    if (stopped.aborted) return;
    const untilMs = Math.min(this.#askAtMs, ...this.#putBack.map(({ atMs }) => atMs));
    // Not for long at a time: it is the journal's clock, and its server may be another one with an earlier clock.
    const waitMs = Math.min(longestWaitMs, Math.max(1, untilMs - this.#now));
    await clock.sleep(waitMs, this.#wake.signal);
  }
}
