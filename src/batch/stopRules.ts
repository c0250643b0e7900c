import { isProposal } from '../once/engine/approval.ts';
import type { Ending, Outcome, Stopped } from '../once/engine/outcome.ts';
import { asFailure, type Failure } from '../once/failures.ts';
import type { Kind } from '../once/intent/wanted.ts';
import type { Runner } from '../once/journal/journal.ts';
import type { SheetRow } from './sheet.ts';

/** Why no new rows are started. */
export type Stop =
  | { readonly because: 'token'; readonly status: number }
  | { readonly because: 'balance' }
  | (Stopped & { readonly because: 'certificate' })
  | { readonly because: 'service-down'; readonly rows: number }
  | { readonly because: 'held'; readonly rows: number }
  | { readonly because: 'max-failures'; readonly failures: number }
  | { readonly because: 'interrupted' }
  | { readonly because: 'policy'; readonly failure: Failure }
  | { readonly because: 'others-at-work'; readonly runners: readonly Runner[] }
  | { readonly because: 'failure'; readonly failure: Failure };

type StopLimits = {
  readonly kind: Kind;
  /** The batch stops after this many rows in a row that got no answer or were held: the service has a problem. */
  readonly concurrency: number;
  readonly maxFailures: number | undefined;
};

/** Watches how rows end, and decides when starting more would be pointless or harmful. */
export class StopRules {
  readonly #limits: StopLimits;
  readonly #stopping = new AbortController();
  #stop: Stop | undefined;
  #unansweredInARow = 0;
  #heldInARow = 0;
  #failures = 0;
  /** Why no more rows of an asset are started. */
  readonly #refused = new Map<unknown, Failure>();

  constructor(limits: StopLimits) {
    this.#limits = limits;
  }

  get stop(): Stop | undefined {
    return this.#stop;
  }

  /** Why the batch stopped. A policy's refusal counts only here, because it stops only the rows of its asset. */
  get stopAtEnd(): Stop | undefined {
    const [failure] = this.#refused.values();
    return this.#stop ?? (failure && { because: 'policy', failure });
  }

  get refusesAnything(): boolean {
    return this.#refused.size > 0;
  }

  isRefused(asset: string): boolean {
    return this.#refused.has(asset);
  }

  /** Aborts when no new rows may be started. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  interrupt(): void {
    this.#stopFor({ because: 'interrupted' });
  }

  /** Stops because these runners still have rows and the wait for them is over. */
  leaveTo(runners: readonly Runner[]): void {
    this.#stopFor({ because: 'others-at-work', runners });
  }

  fail(thrown: unknown): void {
    this.#stopFor({ because: 'failure', failure: asFailure(thrown) });
  }

  note({ ending: { outcome, code }, sent }: RowEnd): void {
    // What waits for a person has not failed.
    const waits = outcome.is === 'concluded' && isProposal(outcome.intent);
    if (code !== undefined && !waits) this.#failures += 1;
    if (sent) this.#noteSent(outcome);
    if (outcome.is === 'not-sent' && outcome.because === 'refused') this.#noteRefused(outcome.failure);
    const { maxFailures } = this.#limits;
    if (maxFailures !== undefined && this.#failures >= maxFailures) {
      this.#stopFor({ because: 'max-failures', failures: this.#failures });
    }
  }

  /** A refusal of one row for its asset applies to all rows of that asset. */
  #noteRefused(failure: Failure): void {
    const { fields } = failure;
    if ('asset' in fields && !this.#refused.has(fields.asset)) this.#refused.set(fields.asset, failure);
  }

  #noteSent(outcome: Outcome): void {
    const status = outcome.is === 'concluded' ? outcome.attempt?.status : undefined;
    if (status === 401 || status === 403) this.#stopFor({ because: 'token', status });
    if (status === 402 && this.#limits.kind === 'transfer') this.#stopFor({ because: 'balance' });
    if (outcome.is === 'not-recorded') this.fail(outcome.cause);
    if (outcome.is === 'concluded' && outcome.stopped?.because === 'certificate')
      this.#stopFor(outcome.stopped);
    const answered = outcome.is !== 'concluded' || !['unknown', 'open'].includes(outcome.intent.state);
    this.#unansweredInARow = answered ? 0 : this.#unansweredInARow + 1;
    if (this.#unansweredInARow >= this.#limits.concurrency) {
      this.#stopFor({ because: 'service-down', rows: this.#unansweredInARow });
    }
    const isHeld = outcome.is === 'concluded' && outcome.intent.state === 'held';
    this.#heldInARow = isHeld ? this.#heldInARow + 1 : 0;
    if (this.#heldInARow >= this.#limits.concurrency) {
      this.#stopFor({ because: 'held', rows: this.#heldInARow });
    }
  }

  #stopFor(stop: Stop): void {
    this.#stop ??= stop;
    this.#stopping.abort();
  }
}

export type RowEnd = {
  readonly row: SheetRow;
  readonly ending: Ending;
  /** A request was sent for it in this run. */
  readonly sent: boolean;
};

/** What the caller says about a row's end. */
export type ExplainedEnd = {
  /** Why the row is not done, in words for the report. */
  readonly problem?: string | undefined;
  readonly tell: () => Promise<void>;
};
