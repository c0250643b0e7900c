import type { Env } from '../../machine/folders.ts';
import type { Chance, Clock, Interrupts } from '../../machine/process.ts';
import type { Exit } from '../../once/failures.ts';
import { notARate } from '../say/commandLine.ts';
import type { Does } from '../say/told.ts';
import type { Display } from '../show/display.ts';

/** What a value can be, for completion: one of these words, or something on this machine. */
export type Completes =
  | 'file'
  | 'folder'
  | 'profiles'
  | 'intents'
  | 'proposals'
  | 'unfinished'
  | 'batches'
  | 'recipients'
  | 'assets'
  | readonly string[];

/** The description of a command. The program, its help, its man page and its completion are made from it. */
export type OptionSpec = {
  /** `--memo <text>`, `--row`, `-y, --yes`. */
  readonly flags: string;
  readonly about: string;
  readonly repeatable?: true;
  readonly env?: string;
  readonly group?: string;
  /** Described in the manual page only; the help names it. */
  readonly rare?: true;
  /** `<file>` and `<dir>` complete without it. */
  readonly completes?: Completes;
  /** It reads stdin: as a flag, or if its value is `-`. */
  readonly readsStdin?: true;
};

export type ArgumentSpec = {
  /** `<name>` is required, `[id]` is not, `<ids...>` takes several. */
  readonly usage: string;
  readonly about: string;
  readonly completes?: Completes;
  /** If it is `-`. */
  readonly readsStdin?: true;
};

export type Example = { readonly line: string; readonly about: string };

/** Runs one command and returns its exit code. */
export type Run = (given: ParsedArgs, context: Context) => Promise<Exit>;

/** The main help lists the commands in these groups. */
export const commandGroups = ['Every day', 'Money', 'Set-up'] as const;

type Described = {
  readonly name: string;
  /** Only of a command that the main help lists. */
  readonly group?: (typeof commandGroups)[number];
  readonly about: string;
  readonly details?: string;
  /** A shorter word for the same command. */
  readonly alias?: string;
  readonly hidden?: true;
};

export type LeafSpec = Described & {
  /** What the command does, for the sentence that says what it did not do. */
  readonly does: Does;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly Example[];
  readonly exits: readonly Exit[];
  /** What to do after the codes that mean “run again”, if the same command would change nothing. */
  readonly again?: string;
  readonly load: () => Promise<Run>;
};

export type BranchSpec = Described & { readonly children: readonly LeafSpec[] };

export type CommandSpec = LeafSpec | BranchSpec;

/** One option from the command line. Order is kept: buttons and rows depend on it. */
export type OptionOccurrence = { readonly name: string; readonly value: string | true };

/** The arguments of one command, by option name without dashes. Asking for an undeclared option is a bug. */
export class ParsedArgs {
  readonly command: string;
  readonly args: readonly string[];
  readonly occurrences: readonly OptionOccurrence[];
  readonly #declared: ReadonlySet<string>;

  constructor(
    command: string,
    args: readonly string[],
    occurrences: readonly OptionOccurrence[],
    declared: ReadonlySet<string>,
  ) {
    this.command = command;
    this.args = args;
    this.occurrences = occurrences;
    this.#declared = declared;
  }

  /** Whether the command has this option. */
  takes(name: string): boolean {
    return this.#declared.has(name);
  }

  flag(name: string): boolean {
    return this.#of(name).length > 0;
  }

  text(name: string): string | undefined {
    const value = this.#of(name)[0]?.value;
    return value === true ? undefined : value;
  }

  all(name: string): string[] {
    return this.#of(name).flatMap(({ value }) => (value === true ? [] : [value]));
  }

  #of(name: string): OptionOccurrence[] {
    if (!this.#declared.has(name)) throw new Error(`--${name} is not an option of ${this.command}`);
    return this.occurrences.filter((occurrence) => occurrence.name === name);
  }
}

/** Everything outside itself that a command may use. */
export type Context = {
  readonly env: Env;
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly display: Display;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly interrupts: Interrupts;
  /** This machine's policy, which applies to every bot in addition to a profile's own. */
  readonly machinePolicy: string;
  readonly doing: {
    readonly does: Does;
    /** Set before the first change that is not a claim. */
    hasChanged: boolean;
    readonly begun: boolean;
  };
};

/** Steps from one word to another: a letter added, dropped, changed, or swapped with its neighbour. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[line - 1] === to[column - 1];
      const swapped = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      next.push(
        Math.min(
          (row[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (row[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}

/** The word that was probably meant; undefined if none is close. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(word.length / 3));
  const [best] = words
    .map((candidate) => ({ candidate, steps: distance(word, candidate) }))
    .filter(({ steps }) => steps <= most)
    .sort((one, other) => one.steps - other.steps);
  return best?.candidate;
}

const unitsInS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** `--rate`: how many a second. */
export function rateOf(given: ParsedArgs): number | undefined {
  const text = given.text('rate');
  if (text === undefined) return undefined;
  const [, count, unit] = /^([1-9]\d{0,6})\/(s|m|h)$/u.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) / (unitsInS[unit] ?? 1);
  throw notARate(text);
}
