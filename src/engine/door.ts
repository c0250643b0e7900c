import { asFailure, type Failure } from '../errors.ts';
import type { Intent } from '../journal/journal.ts';
import type { Trouble } from '../wire/trouble.ts';
import type { EngineContext } from './context.ts';
import { tooOldToSend } from './keyAge.ts';
import type { HeldReason } from './verdict.ts';

/** Why nothing leaves although the connection stands. */
type Shut =
  | { readonly because: 'too-old'; readonly why: HeldReason }
  | { readonly because: 'journal'; readonly failure: Failure }
  /** Others took over, or soon may: what is sent again needs a claim anew. */
  | { readonly because: 'claim' };

/**
 * Asked when the connection stands and nothing is written yet. Connecting can take long, and a process can be
 * frozen for days: what was true when the attempt was put on record may not be any more.
 */
export class Door {
  readonly #intent: Intent;
  readonly #engine: EngineContext;
  #shut: Shut | undefined;

  constructor(intent: Intent, engine: EngineContext) {
    this.#intent = intent;
    this.#engine = engine;
  }

  get shut(): Shut | undefined {
    return this.#shut;
  }

  /** Why nothing may leave; undefined where it may. */
  ask(): Trouble | undefined {
    const { journal, bot, clock } = this.#engine;
    const failure = journalTrouble(journal);
    if (failure !== undefined) {
      this.#shut = { because: 'journal', failure };
      return { is: 'journal-gone' };
    }
    if (journal.trouble() !== undefined) {
      this.#shut = { because: 'claim' };
      return { is: 'claim-too-old' };
    }
    const why = tooOldToSend(this.#intent, bot.settings.keyAgeMs, clock.now());
    if (why === undefined) return undefined;
    this.#shut = { because: 'too-old', why };
    return { is: 'too-late' };
  }
}

/** What is not in the journal's own files is lost with this process: then nothing leaves, and nothing counts as recorded. */
export function journalTrouble(journal: Pick<EngineContext['journal'], 'trouble'>): Failure | undefined {
  try {
    const trouble = journal.trouble();
    return trouble?.is === 'files' ? trouble.failure : undefined;
  } catch (thrown) {
    return asFailure(thrown);
  }
}
