import { Failure } from '../once/failures.ts';
import { type Address, placeOf } from './address.ts';
import { type LeftMs, PgConnection } from './connection.ts';
import { ServerTroubleError, sharedFailure } from './facts.ts';
import { isComingBack, isDenied, unreachable } from './faults.ts';
import { introduce } from './handshake.ts';

/** How long a command waits for a server that is away, and by whose clock. */
export type Patience = {
  readonly maxWaitMs: number;
  /** Nothing that is asked gets less time, whatever is left: given up, it is in doubt. */
  readonly leastMs: number;
  readonly interrupted: AbortSignal;
  /** Soon after this nothing is waited for any more. */
  readonly leaving?: AbortSignal;
  sleep(waitMs: number, signal?: AbortSignal): Promise<void>;
};

const firstPauseMs = 100;
const longestPauseMs = 2000;

const longestFarewellMs = 2000;

/** What came back is still put on record for so long after a first Ctrl-C. */
const landingMs = 5000;

/** A server that is there takes less to put on record what was cut off by a second one. */
const leavingMs = 1000;

/** For one piece of work. */
export type Waiting = {
  /** Pauses, each longer than the last; false where the time is up. */
  again(): Promise<boolean>;
  readonly leftMs: LeftMs;
  /** It is done: what comes next has all the time again. */
  over(): void;
};

/** The one line on which this process works, made anew where it broke. */
export class PgConnections {
  readonly #address: Address;
  readonly #patience: Patience;
  /** Greets a new line: asks who answers, gives its name, and refuses what must not be written to. */
  readonly #greet: (line: PgConnection) => Promise<string>;
  #line: PgConnection | undefined;
  /** Perhaps not greeted yet. */
  #latest: PgConnection | undefined;
  readonly #left = new AbortController();
  #server = '';
  /** Since when nothing was got done: what comes next waits no longer for the same. */
  #fruitlessSinceMs: number | undefined;

  constructor(address: Address, patience: Patience, greet: (line: PgConnection) => Promise<string>) {
    this.#address = address;
    this.#patience = patience;
    this.#greet = greet;
    patience.leaving?.addEventListener('abort', () => setTimeout(() => this.#leave(), leavingMs).unref(), {
      once: true,
    });
  }

  /** The first one: who is not there at all is not waited for, who is only busy is. */
  async open(): Promise<PgConnection> {
    const { interrupted: signal } = this.#patience;
    // Nothing has begun yet that could still land.
    const leave = (): void => this.#leave();
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await this.#keepTrying(isComingBack, this.waiting());
    } catch (error) {
      throw signal.aborted ? sharedFailure('interrupted', {}) : error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** One that works, if there is one within the time. */
  async working(waiting: Waiting = this.waiting()): Promise<PgConnection> {
    if (this.#line?.isBroken !== false) return this.#keepTrying(() => true, waiting);
    this.#line.answerWithin(waiting.leftMs);
    return this.#line;
  }

  /** Who answered last: another one, or another history of the same, has another name. */
  get server(): string {
    return this.#server;
  }

  /** To wait for what may come back; a reply that has come is worth more patience than what may still be left undone. */
  waiting(isForReply: boolean = false): Waiting {
    const { maxWaitMs, leastMs, interrupted, leaving, sleep } = this.#patience;
    const nowMs = performance.now();
    this.#fruitlessSinceMs ??= nowMs;
    const sinceMs = isForReply ? nowMs : this.#fruitlessSinceMs;
    const waitedMs = (): number => performance.now() - sinceMs;
    let pauseMs = firstPauseMs;
    return {
      again: async () => {
        const untilMs = waitedMs() + pauseMs;
        const isLate = untilMs > maxWaitMs;
        if (
          isLate ||
          this.#left.signal.aborted ||
          (interrupted.aborted && !(isForReply && untilMs < landingMs))
        )
          return false;
        await sleep(pauseMs, interrupted.aborted ? leaving : interrupted);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
        return true;
      },
      leftMs: () => Math.max(isForReply ? landingMs : leastMs, maxWaitMs - waitedMs()),
      over: () => {
        this.#fruitlessSinceMs = undefined;
      },
    };
  }

  /** A line of its own, beside the one that may be busy. */
  async another(): Promise<PgConnection> {
    const line = await PgConnection.connect(this.#address);
    await introduce(line).catch((error: unknown) => {
      line.destroy();
      throw error;
    });
    return line;
  }

  /** The last word, where there is still a line for it. */
  async farewell(statement: (line: PgConnection) => string): Promise<void> {
    const line = this.#line;
    if (line === undefined || line.isBroken) return;
    const late = setTimeout(() => line.destroy(), longestFarewellMs);
    await line
      .all(['BEGIN', /* sql */ 'SET LOCAL synchronous_commit = off', statement(line), 'COMMIT'])
      .catch(() => {});
    clearTimeout(late);
  }

  async close(): Promise<void> {
    await this.#line?.close();
  }

  #leave(): void {
    this.#left.abort();
    this.#latest?.destroy();
  }

  async #keepTrying(isWorthIt: (error: unknown) => boolean, waiting: Waiting): Promise<PgConnection> {
    for (;;) {
      try {
        return await this.#connect(waiting.leftMs);
      } catch (error) {
        if (error instanceof Failure) throw error;
        if (isDenied(error) || !isWorthIt(error) || !(await waiting.again()))
          throw unreachable(error, placeOf(this.#address));
      }
    }
  }

  async #connect(leftMs: LeftMs): Promise<PgConnection> {
    const { signal: givenUp } = this.#left;
    if (givenUp.aborted) throw new ServerTroubleError({ is: 'connection-lost' });
    const line = await PgConnection.connect(this.#address, { leftMs, givenUp });
    this.#latest = line;
    try {
      this.#server = await this.#greet(line);
    } catch (error) {
      line.destroy();
      throw error;
    }
    this.#line = line;
    return line;
  }
}
