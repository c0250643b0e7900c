import { diskTrouble } from '../words/disk.ts';
import { outputNotWritable } from '../words/output.ts';

/** The part of a writable stream that botctl uses. */
type WritableLike = {
  write(chunk: string, done: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

export type Written = 'written' | 'closed';

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * A stream whose every write is awaited. A reader that went away is told apart from a disk that is full:
 * the first is nobody's fault, the second means that the result was not delivered.
 */
export class Output {
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Whether it says itself how wide it is. */
  readonly hasWidth: boolean;
  readonly #stream: WritableLike;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(stream: WritableLike) {
    this.#stream = stream;
    this.isTerminal = stream.isTTY === true;
    // A pseudo-terminal that was never told its size says 0.
    this.hasWidth = Boolean(stream.columns);
    this.columns = stream.columns || 80;
    // Without a listener the same error would also end the process with a stack trace.
    stream.on('error', () => {});
  }

  async write(text: string): Promise<Written> {
    if (this.#closed) return 'closed';
    const writing = new Promise<Error | null | undefined>((resolve) => {
      this.#stream.write(text, resolve);
    });
    this.#last = writing;
    const error = await writing;
    if (!error) return 'written';
    if (codeOf(error) === 'EPIPE' || codeOf(error) === 'ERR_STREAM_DESTROYED') {
      this.#closed = true;
      return 'closed';
    }
    throw outputNotWritable(diskTrouble(error), error);
  }

  /** Waits for what nobody waits for: talk that its reader has not taken yet. */
  async drained(): Promise<void> {
    await this.#last;
  }

  /** For talk: a terminal that cannot be written to must not change what the command does. */
  async say(text: string): Promise<void> {
    try {
      await this.write(text);
    } catch {
      // Nothing is left to say it on.
    }
  }
}
