import type { ChalkInstance } from 'chalk';
import type { Suggested, Suggestion } from '../words/suggestion.ts';
import type { Problem } from '../words/told.ts';
import type { Written } from './output.ts';

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
