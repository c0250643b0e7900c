const firstLineMs = 2_000;
const furtherLineMs = 10_000;

/**
 * Where nothing spins: a line when waiting has gone on for a while, and again now and then. Waits that follow each
 * other count as one: twenty short pauses between tries are as silent as a long one.
 */
export class LongWaits {
  readonly #say: (why: string) => void;
  readonly #nowMs: () => number;
  #silentSinceMs: number | undefined;
  #patienceMs = firstLineMs;

  constructor(say: (why: string) => void, nowMs: () => number = () => performance.now()) {
    this.#say = say;
    this.#nowMs = nowMs;
  }

  async during<Result>(why: string, work: Promise<Result>): Promise<Result> {
    this.#silentSinceMs ??= this.#nowMs();
    const leftMs = this.#silentSinceMs + this.#patienceMs - this.#nowMs();
    const timer = setTimeout(
      () => {
        this.#say(why);
        this.#silentSinceMs = this.#nowMs();
        this.#patienceMs = furtherLineMs;
      },
      Math.max(0, leftMs),
    );
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }
}
