/** One at a time, in the order in which they came. */
export class Turns {
  #running: Promise<unknown> | undefined;

  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    // Nothing may be awaited between the last look and the start: others look in that moment too.
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

  /** At once when nobody's turn is on, which it is over with before anybody's next one. */
  async between<Result>(work: () => Result): Promise<Result> {
    while (this.#running !== undefined) await this.#running;
    return work();
  }
}
