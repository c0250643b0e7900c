import { asFailure, type Failure } from '../failures.ts';
import type { Entry } from '../journal/journal.ts';
import type { Trouble } from '../wire/trouble.ts';
import type { EngineContext } from './context.ts';
import { isTooOld } from './plan.ts';

/** Why nothing may be sent although the connection is open. */
type NotAllowedToLeave =
  | { readonly because: 'too-old' }
  | { readonly because: 'journal'; readonly failure: Failure };

/**
 * Asked when the connection is open and nothing is written yet. Connecting can take long, and a process can be frozen
 * for days, so what was true when the attempt was recorded may have changed.
 */
export class LastCheck {
  readonly #entry: Entry;
  readonly #engine: EngineContext;
  #blocked: NotAllowedToLeave | undefined;

  constructor(entry: Entry, engine: EngineContext) {
    this.#entry = entry;
    this.#engine = engine;
  }

  /** Why nothing may be sent at all. Undefined if only this claim is stale: the next one may be sent. */
  get blocked(): NotAllowedToLeave | undefined {
    return this.#blocked;
  }

  /** Why the request must not be sent; undefined if it may. */
  ask(): Trouble | undefined {
    const { journal, clock, interrupts } = this.#engine;
    if (interrupts.first.aborted) return { is: 'interrupted' };
    const failure = journalTrouble(journal, true);
    if (failure !== undefined) {
      this.#blocked = { because: 'journal', failure };
      return { is: 'journal-gone' };
    }
    // Another process took over, or soon may.
    if (journal.trouble() !== undefined) return { is: 'claim-too-old' };
    if (!isTooOld(this.#entry, clock.now())) return undefined;
    this.#blocked = { because: 'too-old' };
    return { is: 'too-late' };
  }
}

/**
 * If the journal's own files are gone, what is written is lost with this process. Then nothing may leave, and nothing
 * counts as recorded.
 */
export function journalTrouble(
  journal: Pick<EngineContext['journal'], 'trouble'>,
  isLast = false,
): Failure | undefined {
  try {
    const trouble = journal.trouble(isLast);
    return trouble === 'stale-claim' ? undefined : trouble;
  } catch (thrown) {
    return asFailure(thrown);
  }
}
