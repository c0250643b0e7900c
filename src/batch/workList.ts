import type { Chance, Clock } from '../machine/process.ts';
import { isOver, type Sheet, type SheetRow } from './sheet.ts';

/** A row in hand. */
export type Turn = {
  readonly row: SheetRow;
  readonly stretch: Stretch;
  /** When this runner first found that another process is sending the row. */
  readonly elsewhereSinceMs?: number;
};

/** Rows that follow each other in the input, from the next one to be read. */
type Stretch = { next: number; readonly last: number };

type PutBack = {
  readonly turn: Turn;
  readonly atMs: number;
  /** The process that has the row in hand. */
  readonly owner?: string | undefined;
};

/** Other processes, and how many rows each of them has in hand. */
export type RowsOfOthers = ReadonlyMap<string, number>;

type WorkInputs = {
  readonly sheet: Pick<Sheet, 'pages'>;
  readonly rows: number;
  /** How many rows are needed at a time. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly chance: Pick<Chance, 'fraction'>;
  /** How long to wait for a row that another process is sending. */
  readonly maxWaitMs: number;
  /** Aborts when no more rows may be started. */
  readonly stopped: AbortSignal;
  /** Leaves out the rows that others have ended meanwhile. */
  readonly left: (rows: readonly SheetRow[]) => Promise<readonly SheetRow[]>;
  /** Called once, when only rows that others have in hand are left. */
  readonly onWaiting: (others: RowsOfOthers) => void;
};

const lookAgainMs = 250;
const longestWaitMs = 1000;

/**
 * Hands out the rows that are left to do. A row that another process is sending is tried again later and blocks
 * nothing. Nobody divides the rows: the claim protects them. A runner that meets another goes on half-way to the end, and
 * comes back later to what it left out, in case the other dies.
 */
export class WorkList {
  readonly #inputs: WorkInputs;
  readonly #stretches: Stretch[];
  /** Rows of the first stretch that were read already. */
  #page: Turn[] = [];
  /** Rows that were put back, and are due again. */
  #again: Turn[] = [];
  #hasMet = false;
  readonly #putBack: PutBack[] = [];
  readonly #leftTo = new Map<string, number>();
  #reading: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  #isWaitTold = false;

  constructor(inputs: WorkInputs) {
    this.#inputs = inputs;
    this.#stretches = [{ next: 1, last: inputs.rows }];
  }

  /** Who still had rows in hand when this one stopped waiting. */
  get leftTo(): RowsOfOthers {
    return this.#leftTo;
  }

  /** The next row, or undefined if none is left and none will come. */
  async next(): Promise<Turn | undefined> {
    while (!this.#inputs.stopped.aborted) {
      const turn = this.#again.shift() ?? this.#page.shift();
      if (turn !== undefined) return turn;
      if (this.#isDue || this.#stretches.length > 0) await this.#read();
      else if (this.#putBack.length > 0) await this.#wait();
      else return undefined;
    }
    return undefined;
  }

  /** Another process has the row in hand, or has done it: whatever follows may be its next. */
  meet({ stretch }: Turn): void {
    this.#hasMet = true;
    if (stretch !== this.#stretches[0]) return;
    const next = this.#page[0]?.row.ordinal ?? stretch.next;
    const half = next + Math.ceil((stretch.last + 1 - next) / 2);
    if (stretch.last - half < this.#inputs.concurrency) return;
    this.#page = [];
    this.#stretches.shift();
    this.#stretches.unshift({ next: half, last: stretch.last });
    this.#stretches.push({ next, last: half - 1 });
  }

  /** Puts a row back that process `owner` is sending. Returns false if it was waited for long enough. */
  putBack(turn: Turn, owner?: string): boolean {
    const { maxWaitMs, stopped } = this.#inputs;
    const { elsewhereSinceMs = this.#now } = turn;
    this.meet(turn);
    if (this.#now - elsewhereSinceMs >= maxWaitMs || stopped.aborted) {
      if (owner !== undefined) this.#leftTo.set(owner, (this.#leftTo.get(owner) ?? 0) + 1);
      return false;
    }
    const atMs = this.#now + this.#jittered(lookAgainMs);
    this.#putBack.push({ turn: { ...turn, elsewhereSinceMs }, owner, atMs });
    return true;
  }

  get #now(): number {
    return this.#inputs.clock.now();
  }

  #jittered(waitMs: number): number {
    return waitMs * (0.75 + this.#inputs.chance.fraction() / 2);
  }

  get #isDue(): boolean {
    const [first] = this.#putBack;
    return first !== undefined && first.atMs <= this.#now;
  }

  #takeDue(): Turn[] {
    const now = this.#now;
    const later = this.#putBack.findIndex(({ atMs }) => atMs > now);
    return this.#putBack.splice(0, later < 0 ? this.#putBack.length : later).map(({ turn }) => turn);
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    const due = this.#takeDue();
    if (due.length > 0) {
      const toDo = new Set(await this.#inputs.left(due.map(({ row }) => row)));
      this.#again = due.filter(({ row }) => toDo.has(row));
      return;
    }
    const [stretch] = this.#stretches;
    if (stretch === undefined) return;
    const { sheet, left } = this.#inputs;
    const [page] = sheet.pages({ first: stretch.next, last: stretch.last });
    if (page === undefined) {
      this.#stretches.shift();
      return;
    }
    stretch.next = (page.at(-1)?.ordinal ?? stretch.last) + 1;
    const rows = page.filter(({ standing, outcome }) => !isOver(standing) && outcome === undefined);
    const toDo = this.#hasMet ? await left(rows) : rows;
    this.#page = toDo.map((row) => ({ row, stretch }));
  }

  #wait(): Promise<void> {
    this.#waiting ??= this.#waitForWork().finally(() => {
      this.#waiting = undefined;
    });
    return this.#waiting;
  }

  #tellWait(): void {
    const others = new Map<string, number>();
    for (const { owner } of this.#putBack)
      if (owner !== undefined) others.set(owner, (others.get(owner) ?? 0) + 1);
    if (this.#isWaitTold || others.size === 0) return;
    this.#isWaitTold = true;
    this.#inputs.onWaiting(others);
  }

  /** Waits until there may be something to do. All waiting lanes share one wait. */
  async #waitForWork(): Promise<void> {
    const { clock, stopped } = this.#inputs;
    this.#tellWait();
    const untilMs = Math.min(...this.#putBack.map(({ atMs }) => atMs));
    // Waits are short because the times come from the journal's clock, which may go back when its server is replaced.
    const waitMs = Math.min(longestWaitMs, Math.max(1, untilMs - this.#now));
    await clock.sleep(waitMs, stopped);
  }
}
