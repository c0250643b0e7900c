/** Runs one work at a time, in the order of the calls. */
export class Mutex {
  #running: Promise<unknown> | undefined;
  readonly #beside = new Set<Promise<unknown>>();

  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    // Nothing may be awaited between this check and the start: other callers check at the same moment.
    while (this.#running !== undefined) await this.#running;
    const before = [...this.#beside];
    const running = before.length === 0 ? work() : Promise.allSettled(before).then(work);
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

  /** Runs at the same time as other `beside` works, and never at the same time as an `alone` work. */
  async beside<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#running !== undefined) await this.#running;
    const running = work();
    this.#beside.add(running);
    try {
      return await running;
    } finally {
      this.#beside.delete(running);
    }
  }
}
