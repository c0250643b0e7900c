import type { ChalkInstance } from 'chalk';
import { diskTroubleOf, systemCodeOf } from '../../machine/disk.ts';
import type { AtTerminal } from '../../machine/process.ts';
import { failureWith } from '../../once/failures.ts';
import { diskTrouble, mending } from '../../once/phrases.ts';
import type { Suggestion } from '../../once/sentence.ts';
import type { Problem } from '../wording/problem.ts';
import type { Suggested } from '../wording/suggest.ts';

export type Paint = ChalkInstance;

// Accepts any chain of styles, and returns the text unchanged: chalk's interface without chalk. It has no `then`, or
// `await` would treat it as a promise.
export const plain = new Proxy(String, {
  get: (_target, style) => (style === 'then' ? undefined : plain),
}) as unknown as Paint;

/** What is drawn on. A question has no colours. */
export type LabelCanvas = {
  readonly paint: Paint;
  readonly columns: number;
};

export type Canvas = LabelCanvas & {
  /** Nobody looks at its width: then nothing is shortened, whatever `COLUMNS` says. */
  readonly isPipe?: boolean;
  /** Commands as lines to paste. None of them may be wrapped. */
  readonly suggest: (next: readonly Suggestion[]) => Suggested;
};

/** One result for people and as JSON. `quiet` is all that `--quiet` prints; without it, quiet prints nothing. */
export type View = {
  json: Record<string, unknown>;
  human: (canvas: Canvas) => string;
  quiet?: string;
};

/** What is asked, drawn for a terminal. Its last line is the question itself. */
export type Question = (canvas: LabelCanvas) => string;

/** How the answers are shown behind a question, and what each word means. */
export type Answers<Answer extends string> = {
  readonly choices: string;
  readonly words: Readonly<Record<string, Answer>>;
};

/** Everything that a command prints: results to stdout, messages to stderr. */
export interface Display {
  readonly face: 'human' | 'json';
  readonly quiet: boolean;
  /** Whether somebody may be watching: stderr is a terminal. */
  readonly watched: boolean;
  /** Shows the result. Resolves when it is written; rejects if it cannot be. */
  show(view: View): Promise<Written>;
  /** Writes text made for programs unchanged, with and without --json. */
  write(text: string): Promise<Written>;
  /** Shows a failure: two lines for a person, or the JSON object `whole` with its `error`. */
  fail(problem: Problem, whole: Record<string, unknown>): Promise<void>;
  /** Something that the caller must know, in every mode. */
  notice(text: string, next?: readonly Suggestion[]): void;
  warn(text: string, next?: readonly Suggestion[]): void;
  /** One line per step, only with `--verbose`. */
  step(text: string): void;
  /** Runs `work`; if it takes longer than a moment, says why. */
  waiting<Result>(why: string, work: Promise<Result>): Promise<Result>;
  /** Shows a line about long work on a terminal, until the returned function is called. */
  meter(line: () => string): () => void;
  /** Where a person can be asked: in the foreground of the controlling terminal, wherever the streams lead. */
  terminal(): AtTerminal['is'];
  /** Asks there. Fails if nobody can be asked or nobody answers. Anything but the answers' words is No. */
  ask<Answer extends string>(question: Question, answers: Answers<Answer>): Promise<Answer | 'no'>;
  /** The same with Yes and No. */
  confirm(question: Question): Promise<boolean>;
  /** Asks for a secret without showing what is typed. */
  askHidden(label: string): Promise<string>;
}

/** Whether views without a `quiet` text are shown to nobody. */
export function isSilent({ quiet, face }: Pick<Display, 'quiet' | 'face'>): boolean {
  return quiet && face === 'human';
}

/** The part of a writable stream that botctl uses. */
type WritableLike = {
  write(chunk: string, done: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

type Written = 'written' | 'closed';

/**
 * A stream whose every write is awaited. A closed reader is no fault; a full disk means that the result was not
 * delivered. The two are told apart.
 */
export class Output {
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Whether the stream reports its width. */
  readonly hasWidth: boolean;
  readonly isPipe: boolean;
  readonly #stream: WritableLike;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(stream: WritableLike) {
    this.#stream = stream;
    this.isTerminal = stream.isTTY === true;
    // A pseudo-terminal without a size reports 0.
    this.hasWidth = Boolean(stream.columns);
    this.isPipe = !this.isTerminal && !this.hasWidth;
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
    if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes(systemCodeOf(error) ?? '')) {
      this.#closed = true;
      return 'closed';
    }
    throw failureWith('stdout-not-writable', { cause: error })`
      The output could not be written: ${diskTrouble(error)}.
      ${mending(diskTroubleOf(error), 'Fix the redirection')}, then run the same command again: anything already done is shown, not repeated.`;
  }

  /** Waits for messages that their reader has not taken yet. */
  async drained(): Promise<void> {
    await this.#last;
  }

  /** Writes a message. A broken terminal must not change what the command does. */
  async say(text: string): Promise<void> {
    try {
      await this.write(text);
    } catch {
      // There is nowhere left to say it.
    }
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/** The width that the caller set, on a terminal or not. */
export function columnsIn({ COLUMNS: text = '' }: Env): number | undefined {
  return /^[1-9]\d{1,4}$/u.test(text) ? Number(text) : undefined;
}

/** The width for results. In a pipe nothing is wrapped unless the caller set a width. */
export function columnsOf({ isPipe, columns }: Output, env: Env): number {
  return columnsIn(env) ?? (isPipe ? Number.POSITIVE_INFINITY : columns);
}

type Writes = Pick<NodeJS.WriteStream, 'write'>;

/** NODE_DEBUG output starts with a section in capitals and this process's id. */
function isNodeDebug(chunk: unknown): boolean {
  if (typeof chunk !== 'string') return false;
  const [, pid] = /^[A-Z][^ ]* ([^ ]+)/u.exec(chunk) ?? [];
  return pid?.includes(String(process.pid)) === true;
}

/**
 * Drops Node's NODE_DEBUG output. It holds raw bytes of streams and the whole environment, including tokens, and would
 * end up in the logs of the program that runs botctl. `--verbose` says what can be said.
 */
export function withoutNodeDebug(stream: Writes): void {
  const write = stream.write.bind(stream) as (...words: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]): boolean =>
    isNodeDebug(chunk) ? true : write(chunk, ...rest);
}
