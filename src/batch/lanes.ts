import type { Commit } from '../once/engine/context.ts';
import type { Kind } from '../once/intent/wanted.ts';
import type { GuardedWork, Journal, Work } from '../once/journal/journal.ts';

/** How many rows are in hand at a time: in flight, waiting for it, or being put on record. */
export type Lanes = {
  readonly count: number;
  /** Rows are claimed before there is room for their requests. */
  readonly isAhead: boolean;
};

// With 4, twice as many commits, and a twentieth more of CPU for each row.
const lanesAPlace = 16;
const mostAhead = 256;

/**
 * Claims ahead keep the service busy while the journal is, and make commits few and large. But what a kill leaves of
 * them is in doubt: a message is then sent again under its key for a day, a transfer for half an hour only. Nor is
 * anything claimed long before a slow pace lets it go.
 */
export function lanesFor(kind: Kind, concurrency: number, ratePerS: number | undefined): Lanes {
  const isAhead = kind === 'message' && ratePerS === undefined;
  const count = Math.min(lanesAPlace * concurrency, mostAhead);
  return { isAhead, count: isAhead ? Math.max(count, concurrency) : concurrency };
}

const whileOthersAreSentMs = 10;
const untilOthersLandMs = 2;

/**
 * How long a commit waits for more to share it. One in a file holds this process up, so it is made when the runway is
 * empty; a server makes it while others are sent. Where none are to be sent, it waits for those that can still land,
 * until no more than half of what is in flight are left, in a file a quarter: of transfers, a commit that is shared by
 * a third more rows takes a tenth less of a server, and of a file 4 % less of a row's CPU.
 */
export function worthWaitingMs({ waiting, inFlight, places }: InFlightLimit, isShared: boolean): number {
  if (waiting > 0) return isShared ? 0 : whileOthersAreSentMs;
  return inFlight > places / (isShared ? 2 : 4) ? untilOthersLandMs : 0;
}

/** Makes room for another one; asked again, it does nothing. */
export type Leave = () => void;

/**
 * As many rows at a time as have requests in flight; whoever is claimed waits here for its turn. First come, first
 * served, until nothing more is to be sent.
 */
export class InFlightLimit {
  /** Requests in flight at a time. */
  readonly places: number;
  readonly #stopped: AbortSignal;
  readonly #waiting: ((leave: Leave | undefined) => void)[] = [];
  #free: number;

  constructor(places: number, stopped: AbortSignal) {
    this.places = places;
    this.#free = places;
    this.#stopped = stopped;
    stopped.addEventListener('abort', () => this.turnAway(), { once: true });
  }

  get inFlight(): number {
    return this.places - this.#free;
  }

  /** Claimed, and not in flight yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when there is room, to a function that leaves; to undefined if nothing more will be sent. */
  async enter(): Promise<Leave | undefined> {
    if (this.#stopped.aborted) return undefined;
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return this.#leaving();
  }

  #leaving(): Leave {
    let isIn = true;
    return () => {
      if (isIn) this.#makeRoom();
      isIn = false;
    };
  }

  #makeRoom(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next(this.#leaving());
  }

  /** Nobody who waits now gets a turn. */
  turnAway(): void {
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }
}

type Queued = GuardedWork<unknown> & {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
};

/**
 * Everything that is to be committed in one turn of the event loop shares one durable commit; and so does whatever
 * comes while another one is being made, which on a server takes its time, or for as long as it is worth waiting for
 * more.
 */
export function sharedCommit(
  journal: Pick<Journal, 'commitTogether'>,
  worthWaitingMs: () => number = () => 0,
): Commit {
  let queue: Queued[] = [];
  let isBusy = false;
  let later: NodeJS.Timeout | undefined;
  const flush = async (): Promise<void> => {
    const queued = queue;
    queue = [];
    await commitAll(queued, journal);
    // What its rows want next is asked for in this turn: it goes along.
    setImmediate(() => {
      isBusy = false;
      if (queue.length > 0) flushInTime();
    });
  };
  const flushNow = (): void => {
    clearTimeout(later);
    later = undefined;
    isBusy = true;
    setImmediate(() => void flush());
  };
  const flushInTime = (): void => {
    const waitMs = worthWaitingMs();
    if (waitMs === 0) flushNow();
    else later ??= setTimeout(flushNow, waitMs);
  };
  return <Result>(work: Work<Result>, guards = {}) =>
    new Promise<Result>((resolve, reject) => {
      queue.push({ work, guards, resolve: resolve as (result: unknown) => void, reject });
      if (!isBusy) flushInTime();
    });
}

async function commitAll(queued: readonly Queued[], journal: Pick<Journal, 'commitTogether'>): Promise<void> {
  try {
    const ends = await journal.commitTogether(queued);
    for (const [index, end] of ends.entries()) {
      if (end.status === 'fulfilled') queued[index]?.resolve(end.value);
      else queued[index]?.reject(end.reason);
    }
  } catch (cause) {
    for (const { reject } of queued) reject(cause);
  }
}
