import { setMaxListeners } from 'node:events';
import type { Interrupts } from '../machine/interrupts.ts';
import type { EngineContext } from './context.ts';

const landingMs = 5000;

/**
 * After the first signal what is in flight may land for a while; the second ends it now. One for all flights of a
 * process: a signal of its own for each row of a batch is a twentieth of what the row costs.
 */
class Landing {
  readonly #cut = new AbortController();
  #inFlight = 0;
  #allLanded: AbortController | undefined;

  constructor({ interrupts: { first, second }, clock }: Pick<EngineContext, 'interrupts' | 'clock'>) {
    const cut = (): void => this.#cut.abort();
    // Each flight listens; Node takes many listeners for a leak.
    setMaxListeners(0, this.#cut.signal);
    const onFirst = (): void => {
      if (this.#inFlight === 0) return;
      this.#allLanded = new AbortController();
      void clock.sleep(landingMs, this.#allLanded.signal).then(cut);
    };
    first.addEventListener('abort', onFirst, { once: true });
    second.addEventListener('abort', cut, { once: true });
  }

  begin(): AbortSignal {
    this.#inFlight += 1;
    return this.#cut.signal;
  }

  end(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#allLanded?.abort();
  }
}

const landings = new WeakMap<Interrupts, Landing>();

export function landingOf(engine: Pick<EngineContext, 'interrupts' | 'clock'>): Landing {
  const known = landings.get(engine.interrupts);
  if (known !== undefined) return known;
  const landing = new Landing(engine);
  landings.set(engine.interrupts, landing);
  return landing;
}
