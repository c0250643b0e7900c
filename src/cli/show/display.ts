import type { ChalkInstance } from 'chalk';
import { diskTrouble, type Suggested, type Suggestion } from '../say/phrases.ts';
import { outputNotWritable, type Problem } from '../say/told.ts';

export type Paint = ChalkInstance;

export type Canvas = {
  paint: Paint;
  columns: number;
  /** Commands as lines to be pasted: none of them may be broken. */
  suggest: (next: readonly Suggestion[]) => Suggested;
};

/** One result in both faces. `quiet` is all that `--quiet` prints; without it, quiet prints nothing. */
export type View = {
  json: Record<string, unknown>;
  human: (canvas: Canvas) => string;
  quiet?: string;
};

/** How far a long work is, and everything worth saying of it in a line. */
export type Gauge = { readonly share: number; readonly text: string };

/** Where everything a command has to say goes: results to stdout, talk to stderr. */
export interface Display {
  readonly face: 'human' | 'json';
  readonly quiet: boolean;
  /** Whether a person can be asked: stdin and stderr are both terminals. */
  readonly interactive: boolean;
  /** How wide what a person is asked may be. */
  readonly columns: number;
  /** The result. Resolves when it is really written; rejects when it cannot be. */
  show(view: View): Promise<Written>;
  /** Text that a command made for a program to read, as it is, in either face. */
  write(text: string): Promise<Written>;
  /** A failure: two lines for a person, or the JSON object `whole` with its `error`. */
  fail(problem: Problem, whole: Record<string, unknown>): Promise<void>;
  /** Something the caller must know, whatever the mode. */
  notice(text: string, next?: readonly Suggestion[]): void;
  warn(text: string, next?: readonly Suggestion[]): void;
  /** One line per step, only with `--verbose`. */
  step(text: string): void;
  /** Runs `work`; says why it waits if that takes longer than a moment. */
  waiting<Result>(why: string, work: Promise<Result>): Promise<Result>;
  /** Shows how a long work goes, until what is given back is called. */
  meter(gauge: () => Gauge): () => void;
  /** A question whose default is No. Only where `interactive`. */
  confirm(question: string): Promise<boolean>;
  /** A secret, typed without being shown. Only where `interactive`. */
  askHidden(label: string): Promise<string>;
}

/** The part of a writable stream that botctl uses. */
type WritableLike = {
  write(chunk: string, done: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

type Written = 'written' | 'closed';

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

type Env = Readonly<Record<string, string | undefined>>;

/** How wide the caller wants it, whatever it goes to. */
export function columnsIn({ COLUMNS: text = '' }: Env): number | undefined {
  return /^[1-9]\d{1,4}$/u.test(text) ? Number(text) : undefined;
}

/** How wide results may be: in a pipe nothing is cut or folded. */
export function columnsOf({ isTerminal, hasWidth, columns }: Output, env: Env): number {
  return columnsIn(env) ?? (isTerminal || hasWidth ? columns : Number.POSITIVE_INFINITY);
}

type Writes = Pick<NodeJS.WriteStream, 'write'>;

/** What Node writes for NODE_DEBUG begins with a section in capitals and this process's id. */
function isNodeDebug(chunk: unknown): boolean {
  if (typeof chunk !== 'string') return false;
  const [, pid] = /^[A-Z][^ ]* ([^ ]+)/u.exec(chunk) ?? [];
  return pid?.includes(String(process.pid)) === true;
}

/**
 * Drops Node's own NODE_DEBUG output: it holds the raw bytes of streams and the whole environment, tokens
 * among them, and it would land in the log of whatever runs botctl. `--verbose` says what can be said.
 */
export function withoutNodeDebug(stream: Writes): void {
  const write = stream.write.bind(stream) as (...words: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]): boolean =>
    isNodeDebug(chunk) ? true : write(chunk, ...rest);
}
