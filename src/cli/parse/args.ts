import { failureWith } from '../../once/failures.ts';

/** The values that completion offers: these words, or names that it asks botctl for. */
export type Completes = 'profiles' | 'batches' | readonly string[];

/** What the line of an option or an argument cannot say. */
export type Marks = {
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

export type ArgumentSpec = Marks & {
  /** `<name>` is required, `[id]` is not, `<ids...>` takes several. */
  readonly usage: string;
  readonly about: string;
};

/** An option in commander's notation, two spaces, and its description: `-m, --memo <text>  a note`. */
export type Line<More> = string | readonly [line: string, beside: More];

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
    const [flags, about, beside] = usageAndAbout<OptionMarks>(line);
    const name = (/--([a-z-]+)/u.exec(flags)?.[1] ?? '') as NameIn<L>;
    return { name, flags, about, ...beside, ...(group !== undefined && { group }) };
  });
}

export function usageAndAbout<More>(
  line: Line<More>,
): [usage: string, about: string, beside: More | undefined] {
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

/** Options that the program itself answers, at any place in the line. */
export const answeredOptions = options(['-V, --version  print the version', '-h, --help  show help']);

export type GlobalName = (typeof globalOptions)[number]['name'];

export const globalNames: ReadonlySet<string> = new Set(globalOptions.map(({ name }) => name));

/** One option from the command line. Order is kept: buttons and rows depend on it. */
export type OptionOccurrence = { readonly name: string; readonly value: string | true };

/** The arguments of one command, by option name without dashes. Asking for an undeclared option is a bug. */
export class Args<Name extends string = never> {
  /** For the compiler only: `Args` with fewer names cannot be passed to a function that needs more. */
  declare readonly names: (name: Name) => void;
  readonly command: string;
  /** The arguments that are not options. */
  readonly words: readonly string[];
  readonly occurrences: readonly OptionOccurrence[];
  readonly #declared: ReadonlySet<string>;

  constructor(
    command: string,
    words: readonly string[],
    occurrences: readonly OptionOccurrence[],
    declared: ReadonlySet<string>,
  ) {
    this.command = command;
    this.words = words;
    this.occurrences = occurrences;
    this.#declared = declared;
  }

  /** Whether the command has these options. */
  takes<More extends string>(...names: readonly More[]): this is Args<Name | More> {
    return names.every((name) => this.#declared.has(name));
  }

  /** For an option that only some commands have. */
  has(name: string): boolean {
    return this.#declared.has(name) && this.#of(name).length > 0;
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

const unitsInS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** `--rate`: how many a second. */
export function rateOf(args: Args<'rate'>): number | undefined {
  const text = args.text('rate');
  if (text === undefined) return undefined;
  const [, count, unit] = /^([1-9]\d{0,6})\/(s|m|h)$/u.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) / (unitsInS[unit] ?? 1);
  throw failureWith('usage')`--rate ${JSON.stringify(text)} is not a rate
    Write a count and a unit: 20/s, 300/m or 5000/h.`;
}

/** The settings of a profile. The code that reads their values loads later. */
export const settingKeys = ['timeout', 'max-wait', 'policy'] as const;

export type SettingKey = (typeof settingKeys)[number];

/** The settings for looking at the chain: the node, the cluster, the paying wallet and the names of assets. */
export const chainKeys = ['rpc-url', 'cluster', 'wallet', 'assets'] as const;
