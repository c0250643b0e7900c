import type { Outcome, OutcomeToTell, Stopped } from '../once/engine/outcome.ts';
import { asFailure, type Failure } from '../once/failures.ts';

/** Why no new rows are started. */
export type Stop =
  | { readonly because: 'token'; readonly status: number }
  | { readonly because: 'balance' }
  | (Stopped & { readonly because: 'certificate' })
  | { readonly because: 'failures-in-a-row'; readonly rows: number }
  | { readonly because: 'max-failures'; readonly failures: number }
  | { readonly because: 'interrupted' }
  | { readonly because: 'failure'; readonly failure: Failure };

type StopLimits = {
  /** After this many consecutive rows without an answer, or held, the batch stops: the service has a problem. */
  readonly concurrency: number;
  readonly maxFailures: number | undefined;
};

/** Watches how rows end, and stops the batch when more rows would be pointless or harmful. */
export class StopRules {
  readonly #limits: StopLimits;
  readonly #stopping = new AbortController();
  #stop: Stop | undefined;
  #failedInARow = 0;
  #failures = 0;

  constructor(limits: StopLimits) {
    this.#limits = limits;
  }

  get stop(): Stop | undefined {
    return this.#stop;
  }

  /** Aborts when no new rows may be started. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  interrupt(): void {
    this.#stopFor({ because: 'interrupted' });
  }

  fail(thrown: unknown): void {
    this.#stopFor({ because: 'failure', failure: asFailure(thrown) });
  }

  note({ outcome, code }: Pick<OutcomeToTell, 'outcome' | 'code'>, sent: boolean): void {
    if (sent && code !== undefined) this.#failures += 1;
    if (sent) this.#noteSent(outcome);
    // The plan was within the limits, so others have spent since. The next run is refused as a whole, or continues.
    if (outcome.is === 'not-sent' && outcome.because === 'refused') this.fail(outcome.failure);
    if (outcome.is === 'concluded' && outcome.stopped?.because === 'closed')
      this.fail(outcome.stopped.failure);
    const { maxFailures } = this.#limits;
    if (maxFailures !== undefined && this.#failures >= maxFailures) {
      this.#stopFor({ because: 'max-failures', failures: this.#failures });
    }
  }

  #noteSent(outcome: Outcome): void {
    const status = outcome.is === 'concluded' ? outcome.attempt?.status : undefined;
    if (status === 401 || status === 403) this.#stopFor({ because: 'token', status });
    if (status === 402) this.#stopFor({ because: 'balance' });
    if (outcome.is === 'not-recorded') this.fail(outcome.cause);
    if (outcome.is === 'concluded' && outcome.stopped?.because === 'certificate')
      this.#stopFor(outcome.stopped);
    // A rejection is the row's own fault. If it counted, each run would send the row again and stop here.
    const failed = outcome.is === 'concluded' && ['unknown', 'open', 'held'].includes(outcome.entry.state);
    this.#failedInARow = failed ? this.#failedInARow + 1 : 0;
    // All rows wait for a limit together, so a row that ends limited shows that the wait did not help.
    const isLimited = failed && outcome.attempt?.verdict === 'limited';
    if (isLimited || this.#failedInARow >= this.#limits.concurrency)
      this.#stopFor({ because: 'failures-in-a-row', rows: this.#failedInARow });
  }

  #stopFor(stop: Stop): void {
    this.#stop ??= stop;
    this.#stopping.abort();
  }
}
