import type { Chance, Clock } from '../machine/process.ts';
import type { Range, Round, Runner, Shares, Taken } from '../once/journal/journal.ts';
import { everyRow, isOver, type Sheet, type SheetRow } from './sheet.ts';

/** A row in hand. It must be ended or put back. */
export type Turn = {
  readonly row: SheetRow;
  readonly range: OpenRange;
  /** When this runner first found that another process is sending the row. */
  readonly elsewhereSinceMs?: number;
};

type OpenRange = {
  readonly range: Range;
  readonly rows: Iterator<SheetRow>;
  /** False for another runner's range, which that runner may not have finished starting. */
  isOwn: boolean;
  /** Rows in hand or put back. */
  begun: number;
  allBegun: boolean;
};

type PutBack = {
  readonly turn: Turn;
  readonly atMs: number;
  /** The process that has had the row in hand for a while. */
  readonly owner?: string | undefined;
};

type WorkInputs = {
  readonly sheet: Sheet;
  readonly ranges: Ranges;
  /** How many rows are needed at a time. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly chance: Pick<Chance, 'fraction'>;
  /** How long to wait for other runners: for a row that they are sending, and for their ranges. */
  readonly maxWaitMs: number;
  /** Aborts when no more rows may be started. */
  readonly stopped: AbortSignal;
  /** Called when only rows that other runners have in hand are left. */
  readonly onWaiting: (others: readonly Runner[]) => void;
  /** Asks another process for the rows that it has claimed but is not sending yet. */
  readonly ask: (owner: string) => Promise<void>;
};

const lookAgainMs = 250;
const askAgainMs = 500;
const longestWaitMs = 1000;

/**
 * Hands out the rows that are left to do. A row that another process is sending is tried again later and blocks
 * nothing. A runner without rows of its own goes through those of other runners and waits for them, in case they die.
 */
export class WorkList {
  readonly #inputs: WorkInputs;
  readonly #open: OpenRange[] = [];
  readonly #holding = new Set<Range>();
  /** Ranges of other runners that this one goes through too, by their first rows. */
  readonly #theirs = new Map<number, OpenRange>();
  readonly #putBack: PutBack[] = [];
  #ended: Range[] = [];
  #taking: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  #wake = new AbortController();
  #askAtMs = 0;
  #askOwnersAtMs = 0;
  #idleSinceMs: number | undefined;
  #isOver = false;
  #others: readonly Runner[] = [];

  constructor(inputs: WorkInputs) {
    this.#inputs = inputs;
    inputs.stopped.addEventListener('abort', () => this.#wake.abort(), { once: true });
  }

  /** The runners that still had rows when this one stopped waiting. */
  get waitedFor(): readonly Runner[] {
    return this.#isOver ? this.#others : [];
  }

  /** The next row, or undefined if none is left and none will come. */
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

  /** Puts a row back that process `owner` is sending. Returns false if it was waited for long enough. */
  putBack(turn: Turn, owner?: string): boolean {
    const { maxWaitMs, stopped } = this.#inputs;
    const { elsewhereSinceMs = this.#now } = turn;
    if (this.#now - elsewhereSinceMs >= maxWaitMs || stopped.aborted) return false;
    const isLong = turn.elsewhereSinceMs !== undefined;
    this.#later({ ...turn, elsewhereSinceMs }, isLong ? owner : undefined);
    return true;
  }

  /** Puts a row back, for later or for another process. */
  giveBack({ row, range }: Turn): void {
    this.#later({ row, range });
  }

  #later(turn: Turn, owner?: string): void {
    this.#putBack.push({ turn, owner, atMs: this.#now + this.#jittered(lookAgainMs) });
    this.#wake.abort();
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
        if (!range.isOwn) this.#idleSinceMs = this.#now;
        if (this.#open.length === 1 && this.#isNearItsEnd(range.range, row)) this.#takeAhead();
        return { row, range };
      }
      this.#open.shift();
      range.allBegun = true;
      this.#endIfDone(range);
    }
    return undefined;
  }

  #endIfDone({ range, begun, allBegun, isOwn }: OpenRange): void {
    if (!allBegun || begun > 0) return;
    if (!isOwn) {
      this.#theirs.delete(range.first);
      return;
    }
    this.#ended.push(range);
    this.#holding.delete(range);
    this.#askAtMs = 0;
    this.#wake.abort();
  }

  /** The next range is requested just in time for the end of this one. Sooner would take rows from other runners. */
  #isNearItsEnd({ first, last }: Range, { ordinal }: SheetRow): boolean {
    return last - ordinal <= Math.min(this.#inputs.concurrency, (last - first) / 4);
  }

  #takeAhead(): void {
    if (this.#isOver || this.#askAtMs > this.#now) return;
    // A lane that finds no row asks again and gets the error then.
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
    else if (isDone) this.#waitForOthers(taken.others, taken.theirs);
    else this.#idleSinceMs = undefined;
    // A runner with rows of its own need not learn at once that another one has died.
    if (this.#ended.length === 0) this.#askAtMs = this.#now + this.#jittered(askAgainMs);
  }

  #begin(range: Range): void {
    const { range: own } = this.#takenOver(range) ?? this.#openRange(range, true);
    this.#holding.add(own);
    this.#askAtMs = 0;
    this.#idleSinceMs = undefined;
  }

  #takenOver({ first }: Range): OpenRange | undefined {
    const theirs = this.#theirs.get(first);
    if (theirs !== undefined) theirs.isOwn = true;
    this.#theirs.delete(first);
    return theirs;
  }

  #openRange(range: Range, isOwn: boolean): OpenRange {
    const opened = { range, rows: this.#rowsToDo(range), isOwn, begun: 0, allBegun: false };
    this.#open.push(opened);
    return opened;
  }

  *#rowsToDo(range: Range): Generator<SheetRow> {
    for (const row of this.#inputs.sheet.rows(range)) {
      if (!isOver(row.standing) && row.outcome === undefined) yield row;
    }
  }

  #waitForOthers(others: readonly Runner[], theirs: readonly Range[]): void {
    if (this.#idleSinceMs === undefined) {
      this.#idleSinceMs = this.#now;
      this.#inputs.onWaiting(others);
    } else {
      for (const range of theirs)
        if (!this.#theirs.has(range.first)) this.#theirs.set(range.first, this.#openRange(range, false));
    }
    if (this.#now - this.#idleSinceMs >= this.#inputs.maxWaitMs) this.#isOver = true;
  }

  #wait(): Promise<void> {
    this.#waiting ??= this.#waitForWork().finally(() => {
      this.#waiting = undefined;
    });
    return this.#waiting;
  }

  /** Asks other processes for the rows that they claimed ahead, because there is nothing else to do here. */
  async #askOwners(): Promise<void> {
    const owners = new Set(this.#putBack.flatMap(({ owner = [] }) => owner));
    if (owners.size === 0 || this.#now < this.#askOwnersAtMs) return;
    this.#askOwnersAtMs = this.#now + askAgainMs;
    await Promise.all(Array.from(owners, this.#inputs.ask));
  }

  /** Waits until there may be something to do. All waiting lanes share one wait. */
  async #waitForWork(): Promise<void> {
    const { clock, stopped } = this.#inputs;
    this.#wake = new AbortController();
    if (stopped.aborted) return;
    await this.#askOwners();
    const untilMs = Math.min(this.#askAtMs, ...this.#putBack.map(({ atMs }) => atMs));
    // Waits are short because the times come from the journal's clock, which may go back when its server is replaced.
    const waitMs = Math.min(longestWaitMs, Math.max(1, untilMs - this.#now));
    await clock.sleep(waitMs, this.#wake.signal);
  }
}

export interface Ranges {
  /** Gives back the `ended` ranges and takes another one. `holding` lists the ranges that the runner still has. */
  take(ended: readonly Range[], holding: readonly Range[]): Promise<Taken>;
}

/** A runner that has the journal to itself gets all rows. */
export function allRows(): Ranges {
  let isTaken = false;
  return {
    take: async () => {
      if (isTaken) return { is: 'nothing', others: [], theirs: [] };
      isTaken = true;
      return { is: 'range', range: everyRow, left: 0 };
    },
  };
}

type Sharing = {
  readonly round: Round;
  readonly rows: number;
  readonly concurrency: number;
};

/** One range at a time, from the server that divides the rows. */
export function sharedRanges(shares: Pick<Shares, 'take'>, { round, rows, concurrency }: Sharing): Ranges {
  let left = rows;
  return {
    take: async (ended, holding) => {
      const taken = await shares.take(round, rangeSize(left, concurrency), ended, holding);
      left = taken.is === 'range' ? taken.left : 0;
      return taken;
    },
  };
}

const mostRows = 256;
const leastRows = 16;

/** Long ranges cost the server little. Short ones near the end let all runners finish at about the same time. */
function rangeSize(left: number, concurrency: number): number {
  return Math.min(mostRows, Math.max(Math.ceil(left / 16), Math.min(concurrency, leastRows)));
}
