import type { Socket } from 'node:net';
import { readLeftovers } from './turn.ts';

const longestIdleMs = 5000;

/** A connection that is begun before anything may be sent, while the claim commits. */
export class EarlyConnection {
  readonly #dialled: Promise<Socket>;
  readonly #now: () => number;
  #endedAtMs = 0;
  #isSpoilt = false;
  readonly #spoil = (): void => {
    this.#isSpoilt = true;
  };

  constructor(dialling: Promise<Socket>, now: () => number = Date.now) {
    this.#now = now;
    this.#dialled = dialling.finally(() => {
      this.#endedAtMs = now();
    });
    this.#dialled.then(
      (socket) => {
        // Bytes that nobody asked for, or the other side's goodbye.
        for (const event of ['readable', 'end', 'close']) socket.on(event, this.#spoil);
      },
      () => {},
    );
  }

  /** The connection, or why there is none; undefined where it is no better than none, and another is to be made. */
  async take(): Promise<Socket | undefined> {
    let socket: Socket;
    try {
      socket = await this.#dialled;
    } catch (error) {
      if (this.#isLongAgo()) return undefined;
      throw error;
    }
    await readLeftovers();
    if (this.#isSpoilt || this.#isLongAgo()) {
      socket.destroy();
      return undefined;
    }
    for (const event of ['readable', 'end', 'close']) socket.off(event, this.#spoil);
    return socket;
  }

  /** For who sends nothing after all. */
  letGo(): void {
    this.#dialled.then(
      (socket) => socket.destroy(),
      () => {},
    );
  }

  /** By the clock of the day: a lid may have been closed meanwhile. */
  #isLongAgo(): boolean {
    const idleMs = this.#now() - this.#endedAtMs;
    return idleMs < 0 || idleMs > longestIdleMs;
  }
}
