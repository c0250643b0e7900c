import packageJson from '../../../package.json' with { type: 'json' };
import type { Env } from '../../machine/folders.ts';
import type { Chance, Clock, Interrupts } from '../../machine/process.ts';
import { type Exit, told } from '../../once/failures.ts';
import type { Does } from '../say/told.ts';
import type { Display } from '../show/display.ts';

export const version: string = packageJson.version;

/** What a value can be, for completion: one of these words, or a name that botctl is asked for. */
export type Completes = 'profiles' | 'batches' | readonly string[];

/** What has no place in the line of an option or an argument. */
type Marks = {
  readonly completes?: Completes;
  /** It reads stdin: as a flag, or if its value is `-`. */
  readonly readsStdin?: true;
};

type OptionMarks = Marks & {
  readonly repeatable?: true;
  readonly env?: string;
};

export type OptionSpec<Name extends string = string> = OptionMarks & {
  readonly name: Name;
  /** `--memo <text>`, `-y, --yes`. */
  readonly flags: string;
  readonly about: string;
  readonly group?: string;
};

type ArgumentSpec = Marks & {
  /** `<name>` is required, `[id]` is not, `<ids...>` takes several. */
  readonly usage: string;
  readonly about: string;
};

/** In commander’s notation, two spaces before what it is about: `-m, --memo <text>  a note`. */
type Line<More> = string | readonly [line: string, beside: More];

/** The name, without dashes, of the option that a line describes. */
type NameIn<L> = L extends readonly [infer First, unknown]
  ? NameIn<First>
  : L extends `${string}--${infer Rest}`
    ? Rest extends `${infer Name} ${string}`
      ? Name
      : never
    : never;

export function options<const L extends Line<OptionMarks>>(
  lines: readonly L[],
  group?: string,
): OptionSpec<NameIn<L>>[] {
  return lines.map((line) => {
    const [flags, about, beside] = columnsOf<OptionMarks>(line);
    const name = (/--([a-z-]+)/u.exec(flags)?.[1] ?? '') as NameIn<L>;
    return { name, flags, about, ...beside, ...(group !== undefined && { group }) };
  });
}

function columnsOf<More>(line: Line<More>): [usage: string, about: string, beside: More | undefined] {
  const [text, beside] = typeof line === 'string' ? [line] : line;
  const [usage = '', about = ''] = text.split('  ');
  return [usage, about, beside];
}

/** Every command takes these, before or after its name. */
export const globalOptions = [
  ...options(
    [
      ['--profile <name>  use this profile', { env: 'BOTCTL_PROFILE', completes: 'profiles' }],
      ['--base-url <url>  the service’s base URL; a profile has its own', { env: 'BOTCTL_BASE_URL' }],
      [
        '--token-file <file>  read the token from a file; - reads stdin (see also BOTCTL_TOKEN)',
        { readsStdin: true },
      ],
      '--sandbox  use the built-in service, with no account and no money',
      [
        '--journal <file>  use this journal: a file (an absolute path, or ./… ../… ~/…), or the postgres:// URL of a shared one',
        { env: 'BOTCTL_JOURNAL' },
      ],
    ],
    'Bot and service',
  ),
  ...options(
    [
      '--timeout <duration>  longest time for one request (default 30s)',
      '--max-wait <duration>  how long to keep trying after the first request (default 60s; 0s: one try)',
    ],
    'Retries',
  ),
  ...options(
    [
      '--json  print one JSON object on stdout, also for an error',
      '--quiet  print only the message ID or the signature',
      '--verbose  print each step and each request on stderr',
      '--no-color  use no colours (see also NO_COLOR and FORCE_COLOR)',
    ],
    'Output',
  ),
] as const;

export type GlobalName = (typeof globalOptions)[number]['name'];

export const globalNames: ReadonlySet<string> = new Set(globalOptions.map(({ name }) => name));

export type Example = { readonly line: string; readonly about: string };

/** Runs one command and returns its exit code. */
export type Run<Args = ParsedArgs> = (given: Args, context: Context) => Promise<Exit>;

type Described = {
  /** Only of a command that the main help lists. */
  readonly group?: 'Every day' | 'Money' | 'Set-up';
  readonly about: string;
  readonly details?: string;
};

/** A command as it is written down. */
type Description<Name extends string> = Described & {
  /** What the command does, for the sentence that says what it did not do. */
  readonly does: Does;
  readonly options?: readonly OptionSpec<Name>[];
  readonly arguments?: readonly Line<Marks>[];
  /** Command lines by what they are for. */
  readonly examples: Readonly<Record<string, string>>;
};

/** The program, its help, its man page and its completion are made from it. */
export type LeafSpec = Described & {
  readonly name: string;
  readonly does: Does;
  readonly options: readonly OptionSpec[];
  readonly arguments: readonly ArgumentSpec[];
  readonly examples: readonly Example[];
  readonly load: () => Promise<Run<ParsedArgs<string>>>;
};

type BranchSpec = Described & { readonly name: string; readonly children: readonly LeafSpec[] };

export type CommandSpec = LeafSpec | BranchSpec;

/** The arguments of a command that is written so: of its options and those of every command, and no others. */
export type ArgsOf<Spec> = Spec extends Description<infer Name> ? ParsedArgs<Name> : never;

/** Keeps the names of the options for `ArgsOf`. */
export function command<Name extends string = never>(written: Description<Name>): Description<Name> {
  return written;
}

export function leaf<Name extends string>(
  name: string,
  written: Description<Name>,
  load: () => Promise<Run<ParsedArgs<NoInfer<Name>>>>,
): LeafSpec {
  return {
    ...written,
    name,
    options: written.options ?? [],
    arguments: (written.arguments ?? []).map((line): ArgumentSpec => {
      const [usage, about, beside] = columnsOf(line);
      return { usage, about, ...beside };
    }),
    examples: Object.entries(written.examples).map(([about, line]) => ({ about, line })),
    load,
  };
}

/** A command with commands below it, by their names. */
export function branch<Children extends Readonly<Record<string, Description<string>>>>(
  name: string,
  { children, ...about }: Described & { readonly children: Children },
  loads: { readonly [Child in keyof Children & string]: () => Promise<Run<ArgsOf<Children[Child]>>> },
): BranchSpec {
  const below = Object.entries<Description<string>>(children).map(([child, written]) =>
    leaf(child, written, loads[child] as LeafSpec['load']),
  );
  return { ...about, name, children: below };
}

/** One option from the command line. Order is kept: buttons and rows depend on it. */
export type OptionOccurrence = { readonly name: string; readonly value: string | true };

/** The arguments of one command, by option name without dashes. Asking for an undeclared option is a bug. */
export class ParsedArgs<Name extends string = never> {
  /** For the compiler only: whoever asks for more names cannot be given fewer. */
  declare readonly names: (name: Name) => void;
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

  /** Whether the command has these options. */
  takes<More extends string>(...names: readonly More[]): this is ParsedArgs<Name | More> {
    return names.every((name) => this.#declared.has(name));
  }

  flag(name: Name | GlobalName): boolean {
    return this.#of(name).length > 0;
  }

  text(name: Name | GlobalName): string | undefined {
    const value = this.#of(name)[0]?.value;
    return value === true ? undefined : value;
  }

  all(name: Name | GlobalName): string[] {
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

const unitsInS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** `--rate`: how many a second. */
export function rateOf(given: ParsedArgs<'rate'>): number | undefined {
  const text = given.text('rate');
  if (text === undefined) return undefined;
  const [, count, unit] = /^([1-9]\d{0,6})\/(s|m|h)$/u.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) / (unitsInS[unit] ?? 1);
  throw told('usage')`--rate ${JSON.stringify(text)} is not a rate
    Write a count and a unit: 20/s, 300/m or 5000/h.`;
}
