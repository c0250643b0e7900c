import type { ChalkInstance } from 'chalk';
import { diskTroubleOf, errorCodeOf } from '../../machine/disk.ts';
import type { AtTerminal } from '../../machine/process.ts';
import { failureWith } from '../../once/failures.ts';
import { diskTrouble, mending } from '../../once/phrases.ts';
import type { Suggestion } from '../../once/sentence.ts';
import type { Problem } from '../wording/problem.ts';
import type { Suggested } from '../wording/suggest.ts';

export type Paint = ChalkInstance;

// chalk's interface without chalk: any chain of styles returns the text unchanged. It must have no `then`, or `await`
// would treat it as a promise.
export const plain = new Proxy(String, {
  get: (_target, style) => (style === 'then' ? undefined : plain),
}) as unknown as Paint;

/** The colours and the width for drawing. A question has no colours. */
export type LabelCanvas = {
  readonly paint: Paint;
  readonly columns: number;
};

export type Canvas = LabelCanvas & {
  /** Whether it goes to a program: then nothing is shortened, even if `COLUMNS` is set. */
  readonly isPipe?: boolean;
  /** Makes commands into lines to paste, which must not be wrapped. */
  readonly suggest: (next: readonly Suggestion[]) => Suggested;
};

/** One result for people and as JSON. `--quiet` prints only `quiet`, or nothing without it. */
export type View = {
  json: Record<string, unknown>;
  human: (canvas: Canvas) => string;
  quiet?: string;
};

/** Draws a question for a terminal. The last line is the question itself. */
export type Question = (canvas: LabelCanvas) => string;

/** The answers as shown after a question, and the meaning of each word. */
export type PossibleAnswers<Answer extends string> = {
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
  /** Shows a failure: what is wrong and what to do for a person, or the JSON object `whole` with its `error`. */
  fail(problem: Problem, whole: Record<string, unknown>): Promise<void>;
  /** Shows something that the caller must know, in every mode. */
  notice(text: string, next?: readonly Suggestion[]): void;
  warn(text: string, next?: readonly Suggestion[]): void;
  /** Shows a step, only with `--verbose`. */
  step(text: string): void;
  /** Awaits `work`; if it takes longer than a moment, says why. */
  waiting<Result>(why: string, work: Promise<Result>): Promise<Result>;
  /** Shows a line about long work on a terminal, until the returned function is called. */
  meter(line: () => string): () => void;
  /** Whether a person can be asked: only in the foreground of the controlling terminal. The streams do not matter. */
  terminal(): AtTerminal['is'];
  /** Asks on that terminal. Fails if nobody can be asked or nobody answers. Any word not in `answers` is No. */
  ask<Answer extends string>(question: Question, answers: PossibleAnswers<Answer>): Promise<Answer | 'no'>;
  /** Asks a question with Yes or No. */
  confirm(question: Question): Promise<boolean>;
  /** Asks for a secret without showing what is typed. */
  askHidden(label: string): Promise<string>;
}

/** Whether a view without a `quiet` text prints nothing. */
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

/** A stream that awaits every write. A closed reader is no failure; a full disk is: the result was not delivered. */
export class Output {
  readonly isTerminal: boolean;
  readonly columns: number;
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
    // `write` gets each error from its callback. Without a listener, it would also end the process with a stack trace.
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
    if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes(errorCodeOf(error) ?? '')) {
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
      // No stream is left to report it on.
    }
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/** The width that the caller set, on a terminal or not. */
export function columnsIn({ COLUMNS: text = '' }: Env): number | undefined {
  return /^[1-9]\d{1,4}$/u.test(text) ? Number(text) : undefined;
}

/** The width for results. In a pipe nothing is wrapped unless the caller set a width. */
export function widthOf({ isPipe, columns }: Output, env: Env): number {
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
 * Drops Node's NODE_DEBUG output. It contains raw bytes of streams and the whole environment, including tokens, and
 * would end up in the logs of the program that runs botctl. Use `--verbose` instead.
 */
export function withoutNodeDebug(stream: Writes): void {
  const write = stream.write.bind(stream) as (...words: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]): boolean =>
    isNodeDebug(chunk) ? true : write(chunk, ...rest);
}
