import { globalOptions } from '../globalOptions.ts';
import type { ArgumentSpec, CommandSpec, Completes, OptionSpec } from '../spec.ts';

export type Choice = { readonly word: string; readonly about: string };

type CompletedOption = {
  readonly names: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  readonly completes: Completes | undefined;
};

/** A spot on the command line: the words that may come next after this path. */
export type Node = {
  /** `` for the program itself, `config add` for a command of a branch. */
  readonly path: string;
  readonly commands: readonly Choice[];
  readonly options: readonly CompletedOption[];
  /** What each argument completes to; the last one repeats where it takes several. */
  readonly arguments: readonly (Completes | undefined)[];
  readonly repeatsLast: boolean;
};

const helpOption: CompletedOption = {
  names: ['--help'],
  about: 'show help',
  takesValue: false,
  completes: undefined,
};

/** Every node of the command line, the program itself first. */
export function completionNodes(tree: readonly CommandSpec[]): Node[] {
  const everywhere = globalOptions.map(optionOf);
  const shown = tree.filter(({ hidden }) => hidden !== true);
  const version = { ...helpOption, names: ['--version'], about: 'print the version' };
  const root: Node = {
    ...empty,
    path: '',
    commands: shown.map(choiceOf),
    options: [...everywhere, version, helpOption],
  };
  return [root, ...shown.flatMap((spec) => nodesOf(spec, '', everywhere))];
}

const empty = { commands: [], arguments: [], repeatsLast: false } as const;

function nodesOf(spec: CommandSpec, before: string, everywhere: readonly CompletedOption[]): Node[] {
  const path = `${before} ${spec.name}`.trim();
  if ('children' in spec) {
    const commands = spec.children.map(choiceOf);
    const branch = { ...empty, path, commands, options: [...everywhere, helpOption] };
    return [branch, ...spec.children.flatMap((child) => nodesOf(child, path, everywhere))];
  }
  const words: readonly ArgumentSpec[] = spec.arguments ?? [];
  return [
    {
      path,
      commands: [],
      options: [...(spec.options ?? []).map(optionOf), ...everywhere, helpOption],
      arguments: words.map(({ usage, completes }) => completes ?? byPlaceholder(usage)),
      repeatsLast: words.at(-1)?.usage.includes('...') === true,
    },
  ];
}

function choiceOf({ name, about }: CommandSpec): Choice {
  return { word: name, about };
}

function byPlaceholder(placeholder: string | undefined): Completes | undefined {
  return placeholder === '<file>' ? 'file' : placeholder === '<dir>' ? 'folder' : undefined;
}

function optionOf({ flags, about, completes }: OptionSpec): CompletedOption {
  const [, placeholder] = / (<.*>)$/u.exec(flags) ?? [];
  return {
    names: flags.match(/(?<=^|\s)--?[a-z][a-z-]*/gu) ?? [],
    about,
    takesValue: placeholder !== undefined,
    completes: completes ?? byPlaceholder(placeholder),
  };
}

/** Every option that takes a value, once: an option means the same wherever it stands. */
export function valueOptions(nodes: readonly Node[]): CompletedOption[] {
  const known = new Set<string>();
  return nodes
    .flatMap(({ options }) => options.filter(({ takesValue }) => takesValue))
    .flatMap((option) => {
      const names = option.names.filter((name) => !known.has(name));
      for (const name of names) known.add(name);
      return names.length === 0 ? [] : [{ ...option, names }];
    });
}

/** Nodes with the same arguments are written once; those without any are left out. */
export function argumentRows(
  nodes: readonly Node[],
): { path: string; index: string; completes: Completes }[] {
  return nodes.flatMap((node) =>
    node.arguments.flatMap((completes, index) => {
      if (completes === undefined) return [];
      const isOpen = node.repeatsLast && index === node.arguments.length - 1;
      return [{ path: node.path, index: isOpen ? '*' : String(index), completes }];
    }),
  );
}

export function isWords(completes: Completes): completes is readonly string[] {
  return typeof completes !== 'string';
}
