/** Runs one work at a time, in the order of the calls. */
export class Mutex {
  #running: Promise<unknown> | undefined;

  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    // Nothing may be awaited between this check and the start: other callers check at the same moment.
    while (this.#running !== undefined) await this.#running;
    const running = work();
    const over = running.then(
      () => {},
      () => {},
    );
    this.#running = over;
    try {
      return await running;
    } finally {
      if (this.#running === over) this.#running = undefined;
    }
  }

  /** Runs between two turns. The work is synchronous, so it is over before the next turn begins. */
  async between<Result>(work: () => Result): Promise<Result> {
    while (this.#running !== undefined) await this.#running;
    return work();
  }
}
