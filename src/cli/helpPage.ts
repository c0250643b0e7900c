import { type ExitRow, exitTable } from '../errors.ts';
import { version } from '../version.ts';
import { environmentOnly, globalOptions } from './globalOptions.ts';
import type { CommandSpec, Example, LeafSpec, OptionSpec } from './spec.ts';

export type HelpRow = { readonly term: string; readonly about: string };
export type HelpGroup = { readonly title: string; readonly rows: readonly HelpRow[] };

/** What there is to know about one command, apart from how it is drawn: help and man page are made from it. */
export type HelpPage = {
  readonly path: string;
  readonly usage: string;
  readonly about: string;
  readonly details?: string;
  readonly groups: readonly HelpGroup[];
  /** Where the options are told that every command takes. */
  readonly shared: string;
  readonly examples: readonly Example[];
  readonly exits: readonly ExitRow[];
};

export const promise = 'Send bot messages and wallet transfers exactly once.';
export const motto = 'Run it again. It happened once.';

const helpRow: HelpRow = { term: '-h, --help', about: 'show the help of a command' };

const shared = 'Every command also takes --sandbox, --profile, --json, …: botctl help options';

function commandRow({ name, about }: CommandSpec): HelpRow {
  return { term: name, about: capital(about) };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function optionRow({ flags, about, env }: OptionSpec): HelpRow {
  return { term: flags, about: env === undefined ? about : `${about} [${env}]` };
}

function groupsOf(options: readonly OptionSpec[], rest: string): HelpGroup[] {
  const titles = [...new Set(options.map(({ group }) => group ?? rest))];
  return titles.map((title) => ({
    title,
    rows: options.filter(({ group }) => (group ?? rest) === title).map(optionRow),
  }));
}

/** The options that every command takes. */
export function globalGroups(): HelpGroup[] {
  return groupsOf([...globalOptions], 'Output').map((group) =>
    group.title === 'Output' ? { ...group, rows: [...group.rows, helpRow] } : group,
  );
}

/** Everything the environment may say: what the options name, and the rest. */
export function environmentRows(): HelpRow[] {
  const fromOptions = globalOptions.flatMap(({ env, flags, about }) =>
    env === undefined ? [] : [{ term: env, about: `as ${flags.match(/--[a-z-]+/u)?.[0]}: ${about}` }],
  );
  return [...fromOptions, ...environmentOnly.map(({ name, about }) => ({ term: name, about }))];
}

export function rootPage(tree: readonly CommandSpec[]): HelpPage {
  const commands = tree.filter(({ hidden }) => hidden !== true).map(commandRow);
  return {
    path: 'botctl',
    usage: 'botctl <command> [options]',
    about: `${promise}\n${motto}`,
    groups: [
      { title: 'Commands', rows: commands },
      {
        title: 'Options',
        rows: [{ term: '-V, --version', about: `print the version (${version})` }, helpRow],
      },
    ],
    shared,
    examples: [
      {
        about: 'Try it without an account',
        line: 'botctl --sandbox send --conversation conv_demo --content "Hello"',
      },
    ],
    exits: [],
  };
}

/** The command that these words name. */
export function specAt(words: readonly string[], tree: readonly CommandSpec[]): CommandSpec | undefined {
  const [first, ...rest] = words;
  const spec = tree.find(({ name }) => name === first);
  if (rest.length === 0 || spec === undefined) return spec;
  return 'children' in spec ? specAt(rest, spec.children) : undefined;
}

/** The page of the command that these words name; without any, the program's. */
export function pageAt(words: readonly string[], tree: readonly CommandSpec[]): HelpPage | undefined {
  if (words.length === 0) return rootPage(tree);
  const spec = specAt(words, tree);
  return spec === undefined ? undefined : commandPage(['botctl', ...words].join(' '), spec);
}

/** The page that a command line asks for which names a command, or none, and at most `--help`. */
export function requestedPage(argv: readonly string[], tree: readonly CommandSpec[]): HelpPage | undefined {
  const asks = /^(--help|-h)$/u.test(argv.at(-1) ?? '');
  const words = asks ? argv.slice(0, -1) : argv;
  const spec = specAt(words, tree);
  const runs = spec !== undefined && !('children' in spec);
  return runs && !asks ? undefined : pageAt(words, tree);
}

export function commandPage(path: string, spec: CommandSpec): HelpPage {
  return 'children' in spec ? branchPage(path, spec) : leafPage(path, spec);
}

function branchPage(path: string, spec: CommandSpec & { children: readonly LeafSpec[] }): HelpPage {
  return {
    path,
    usage: `${path} <command> [options]`,
    about: capital(spec.about),
    ...(spec.details === undefined ? {} : { details: spec.details }),
    groups: [{ title: 'Commands', rows: spec.children.map(commandRow) }],
    shared,
    examples: [],
    exits: [],
  };
}

function leafPage(path: string, spec: LeafSpec): HelpPage {
  const words = (spec.arguments ?? []).map(({ usage }) => usage);
  const rows = (spec.arguments ?? []).map(({ usage, about }) => ({ term: usage, about }));
  return {
    path,
    usage: [path, ...words, '[options]'].join(' '),
    about: capital(spec.about),
    ...(spec.details === undefined ? {} : { details: spec.details }),
    groups: [
      ...(rows.length === 0 ? [] : [{ title: 'Arguments', rows }]),
      ...groupsOf(spec.options ?? [], 'Options'),
    ],
    shared,
    examples: spec.examples.map(({ line, about }) => ({ line: line.replace(/ \\\n\s*/gu, ' '), about })),
    exits: exitTable.filter(({ exit }) => spec.exits.includes(exit)),
  };
}
