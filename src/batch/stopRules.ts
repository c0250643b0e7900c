import type { Conclusion } from '../engine/conclusion.ts';
import type { Ended } from '../engine/doing.ts';
import { asFailure, type Failure } from '../errors.ts';
import type { Kind } from '../intent/wanted.ts';
import type { SheetRow } from './sheet.ts';

/** How one row ended in this run. */
export type RowEnd = {
  readonly row: SheetRow;
  readonly ended: Ended;
  readonly conclusion: Conclusion;
  /** A request was made for it now. */
  readonly sent: boolean;
};

/** Why no new rows are begun. */
export type Stop =
  | { readonly because: 'token'; readonly status: number }
  | { readonly because: 'balance' }
  | { readonly because: 'service-down'; readonly rows: number }
  | { readonly because: 'max-failures'; readonly failures: number }
  | { readonly because: 'interrupted' }
  | { readonly because: 'failure'; readonly failure: Failure };

export type StopLimits = {
  readonly kind: Kind;
  /** As many rows in a row as this without an answer: the service is down. */
  readonly concurrency: number;
  readonly maxFailures: number | undefined;
};

/** Watches how rows end, and says when it is pointless or harmful to begin more. */
export class StopRules {
  readonly #limits: StopLimits;
  readonly #stopping = new AbortController();
  #stop: Stop | undefined;
  #unansweredInARow = 0;
  #failures = 0;

  constructor(limits: StopLimits) {
    this.#limits = limits;
  }

  get stop(): Stop | undefined {
    return this.#stop;
  }

  /** Aborts when no new rows are to be begun. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  interrupt(): void {
    this.#stopFor({ because: 'interrupted' });
  }

  fail(thrown: unknown): void {
    this.#stopFor({ because: 'failure', failure: asFailure(thrown) });
  }

  note(end: RowEnd): void {
    const done = end.conclusion.exit === 0;
    if (!done) this.#failures += 1;
    if (end.sent) this.#noteSent(end);
    const { maxFailures } = this.#limits;
    if (maxFailures !== undefined && this.#failures >= maxFailures) {
      this.#stopFor({ because: 'max-failures', failures: this.#failures });
    }
  }

  #noteSent({ ended, conclusion }: RowEnd): void {
    const status = conclusion.problem?.status;
    if (status === 401 || status === 403) this.#stopFor({ because: 'token', status });
    if (status === 402 && this.#limits.kind === 'transfer') this.#stopFor({ because: 'balance' });
    if (ended.is === 'not-recorded') this.fail(ended.cause);
    const answered = ended.is !== 'concluded' || !['unknown', 'open'].includes(ended.intent.state);
    this.#unansweredInARow = answered ? 0 : this.#unansweredInARow + 1;
    if (this.#unansweredInARow >= this.#limits.concurrency) {
      this.#stopFor({ because: 'service-down', rows: this.#unansweredInARow });
    }
  }

  #stopFor(stop: Stop): void {
    this.#stop ??= stop;
    this.#stopping.abort();
  }
}
