import { Failure } from '../once/failures.ts';
import { type Address, placeOf } from './address.ts';
import { type LeftMs, PgConnection } from './connection.ts';
import { ServerTroubleError, sharedFailure } from './failures.ts';
import { askServer } from './handshake.ts';
import { isComingBack, isDenied, unreachable } from './serverErrors.ts';

/** How long a command waits for a server that is away, and by which clock. */
export type Patience = {
  readonly maxWaitMs: number;
  /** The least time that any question gets. A question that is given up is in doubt. */
  readonly leastMs: number;
  readonly interrupted: AbortSignal;
  /** Soon after this aborts, the command stops waiting. */
  readonly leaving?: AbortSignal;
  sleep(waitMs: number, signal?: AbortSignal): Promise<void>;
};

const firstPauseMs = 100;
const longestPauseMs = 2000;

const longestFarewellMs = 2000;

/** After a first Ctrl-C, replies that came back may still be recorded for this long. */
const landingMs = 5000;

/** After a second Ctrl-C, a server that answers needs less than this to record what was cut off. */
const leavingMs = 1000;

/** The patience of one piece of work. */
export type WaitingWork = {
  /** Pauses, longer each time. Returns false if time is up. */
  again(): Promise<boolean>;
  readonly leftMs: LeftMs;
  /** The server answered: the next piece of work has the full time again. */
  over(): void;
};

/** The one connection that this process works on. It is replaced when it breaks. */
export class PgConnections {
  readonly #address: Address;
  readonly #patience: Patience;
  /** Checks a new connection, and throws if the journal must not be written there. */
  readonly #greet: (connection: PgConnection) => Promise<void>;
  #connection: PgConnection | undefined;
  /** The newest connection, perhaps not greeted yet. */
  #latest: PgConnection | undefined;
  /** Works that run at the same time wait for the same new connection. */
  #connecting: Promise<PgConnection> | undefined;
  readonly #left = new AbortController();
  /** Since when no work succeeded. Later work does not wait for the same problem again. */
  #fruitlessSinceMs: number | undefined;

  constructor(address: Address, patience: Patience, greet: (connection: PgConnection) => Promise<void>) {
    this.#address = address;
    this.#patience = patience;
    this.#greet = greet;
    patience.leaving?.addEventListener('abort', () => setTimeout(() => this.#leave(), leavingMs).unref(), {
      once: true,
    });
  }

  /** The first connection. Waits for a server that is busy, not for one that is absent. */
  async open(): Promise<PgConnection> {
    const { interrupted: signal } = this.#patience;
    // Nothing has been sent yet, so nothing can be lost by leaving.
    const leave = (): void => this.#leave();
    signal.addEventListener('abort', leave, { once: true });
    try {
      const waiting = this.waiting();
      const connection = await this.#keepTrying(isComingBack, waiting);
      waiting.over();
      return connection;
    } catch (error) {
      throw signal.aborted ? sharedFailure('interrupted', {}) : error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** A connection that works. Fails if the server is not back in time. */
  async working(waiting: WaitingWork = this.waiting()): Promise<PgConnection> {
    if (this.#connection?.isBroken !== false) {
      this.#connecting ??= this.#keepTrying(() => true, waiting).finally(() => {
        this.#connecting = undefined;
      });
      return this.#connecting;
    }
    this.#connection.answerWithin(waiting.leftMs);
    return this.#connection;
  }

  /** Begins a wait. Recording a reply deserves more patience than work that can still be left undone. */
  waiting(isForReply: boolean = false): WaitingWork {
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

  /** A separate connection, beside the one that may be busy. */
  async another(): Promise<PgConnection> {
    const connection = await PgConnection.connect(this.#address);
    await askServer(connection).catch((error: unknown) => {
      connection.destroy();
      throw error;
    });
    return connection;
  }

  /** Runs a last statement, if the server answers. */
  async farewell(statement: (connection: PgConnection) => string): Promise<void> {
    const connection = this.#connection?.isBroken
      ? await this.another().catch(() => undefined)
      : this.#connection;
    if (connection === undefined) return;
    const late = setTimeout(() => connection.destroy(), longestFarewellMs);
    await connection
      .all(['BEGIN', /* sql */ 'SET LOCAL synchronous_commit = off', statement(connection), 'COMMIT'])
      .catch(() => {});
    clearTimeout(late);
    if (connection !== this.#connection) await connection.close();
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  #leave(): void {
    this.#left.abort();
    this.#latest?.destroy();
  }

  async #keepTrying(isWorthIt: (error: unknown) => boolean, waiting: WaitingWork): Promise<PgConnection> {
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
    const connection = await PgConnection.connect(this.#address, { leftMs, givenUp });
    this.#latest = connection;
    try {
      await this.#greet(connection);
    } catch (error) {
      connection.destroy();
      throw error;
    }
    this.#connection = connection;
    return connection;
  }
}
