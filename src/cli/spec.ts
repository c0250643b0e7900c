import type { Context } from '../context.ts';
import type { Exit } from '../errors.ts';
import type { Does } from '../words/ends.ts';
import type { Given } from './given.ts';

/** What a value can be, for completion: one of these words, or something that is on this machine. */
export type Completes =
  | 'file'
  | 'folder'
  | 'profiles'
  | 'intents'
  | 'batches'
  | 'recipients'
  | readonly string[];

/** How a command is described: the program, its help, its man page and its completion are made from this. */
export type OptionSpec = {
  /** `--memo <text>`, `--row`, `-y, --yes`. */
  readonly flags: string;
  readonly about: string;
  readonly repeatable?: true;
  readonly env?: string;
  readonly group?: string;
  /** A `<file>` and a `<dir>` complete without it. */
  readonly completes?: Completes;
};

export type ArgumentSpec = {
  /** `<name>` is required, `[id]` is not, `<ids...>` takes several. */
  readonly usage: string;
  readonly about: string;
  readonly completes?: Completes;
};

export type Example = { readonly line: string; readonly about: string };

/** Runs one command to its exit code. */
export type Run = (given: Given, context: Context) => Promise<Exit>;

type Described = {
  readonly name: string;
  readonly about: string;
  readonly details?: string;
  /** A shorter word for the same. */
  readonly alias?: string;
  readonly hidden?: true;
};

export type LeafSpec = Described & {
  /** What it was going to do, for the sentence that says what it did not. */
  readonly does: Does;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly Example[];
  readonly exits: readonly Exit[];
  readonly load: () => Promise<Run>;
};

export type BranchSpec = Described & { readonly children: readonly LeafSpec[] };

export type CommandSpec = LeafSpec | BranchSpec;
