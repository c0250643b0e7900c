/** The server's time, kept between its answers by a clock that nobody sets. */
export class ServerClock {
  #offsetMs = 0;

  /** What it has just said. */
  set(nowMs: number): void {
    this.#offsetMs = nowMs - performance.now();
  }

  readonly now = (): number => Math.round(performance.now() + this.#offsetMs);
}
