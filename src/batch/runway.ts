/** Makes room for another one; asked again, it does nothing. */
export type Leave = () => void;

/**
 * As many rows at a time as have requests in flight; whoever is claimed waits here for its turn. First come, first
 * served, until nothing more is to be sent.
 */
export class Runway {
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

  /** Resolves when there is room, with the way to leave; undefined where nothing more is to be sent. */
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
