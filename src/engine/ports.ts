/** Time as the engine sees it, so that tests can hold it in their hands. */
export interface Clock {
  now(): number;
  /** Resolves after `waitMs`, or at once when `signal` aborts. */
  sleep(waitMs: number, signal?: AbortSignal): Promise<void>;
}

/** Random numbers for backoff, and random ids for keys. */
export interface Chance {
  /** In [0, 1). */
  fraction(): number;
  uuid(): string;
}

/** The first signal means: start nothing new, let the flight land. The second: leave now. */
export interface Interrupts {
  readonly first: AbortSignal;
  readonly second: AbortSignal;
}

/** Where the engine says what it is about. */
export interface Observer {
  /** Says why there is a wait, if `work` takes longer than a moment. */
  during<Result>(why: string, work: Promise<Result>): Promise<Result>;
  step(text: string): void;
  /** Something its caller must know now, before it is too late. */
  notice(text: string): void;
}

/** The common pace of a batch: every attempt waits for its turn, and one limit slows them all. */
export interface Pace {
  /** Resolves when the next attempt may leave, or at once when `signal` aborts. */
  turn(signal: AbortSignal): Promise<void>;
  /** The service asked to be left alone, and for how long if it said so. */
  limited(retryAfterMs: number | undefined): void;
}

/** Makes one durable commit of `work`; a batch lets several share one. Resolves when it is durable. */
export type Commit = <Result>(work: () => Result) => Promise<Result>;
