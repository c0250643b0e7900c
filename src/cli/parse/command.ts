import type { Exit } from '../../once/failures.ts';
import type { App } from '../app.ts';
import type { Does } from '../wording/problem.ts';
import {
  type Args,
  type ArgumentSpec,
  type Line,
  type Marks,
  type OptionSpec,
  usageAndAbout,
} from './args.ts';

export type Example = { readonly line: string; readonly about: string };

/** Runs one command and returns its exit code. */
export type Run<Arguments = Args> = (app: App<Arguments>) => Promise<Exit>;

type Described = {
  /** Only for a command that the main help lists. */
  readonly group?: 'Every day' | 'Money' | 'Set-up';
  readonly about: string;
  readonly details?: string;
};

/** A command as its spec describes it. */
type Description<Name extends string> = Described & {
  /** What the command does. After a failure, one sentence says that this was not done. */
  readonly does: Does;
  readonly options?: readonly OptionSpec<Name>[];
  readonly arguments?: readonly Line<Marks>[];
  /** Command lines, each under its purpose. */
  readonly examples: Readonly<Record<string, string>>;
};

/** The program, its help, its man page and its completion are made from this. */
export type LeafSpec = Described & {
  readonly name: string;
  readonly does: Does;
  readonly options: readonly OptionSpec[];
  readonly arguments: readonly ArgumentSpec[];
  readonly examples: readonly Example[];
  readonly load: () => Promise<Run<Args<string>>>;
};

type BranchSpec = Described & { readonly name: string; readonly children: readonly LeafSpec[] };

export type CommandSpec = LeafSpec | BranchSpec;

/** The arguments of a described command: only its own options and the global ones. */
export type ArgsOf<Spec> = Spec extends Description<infer Name> ? Args<Name> : never;

/** Keeps the option names in the type, for `ArgsOf`. */
export function command<Name extends string = never>(written: Description<Name>): Description<Name> {
  return written;
}

export function leaf<Name extends string>(
  name: string,
  written: Description<Name>,
  load: () => Promise<Run<Args<NoInfer<Name>>>>,
): LeafSpec {
  return {
    ...written,
    name,
    options: written.options ?? [],
    arguments: (written.arguments ?? []).map((line): ArgumentSpec => {
      const [usage, about, beside] = usageAndAbout(line);
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
