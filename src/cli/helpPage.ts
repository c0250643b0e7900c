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
  readonly examples: readonly Example[];
  readonly exits: readonly ExitRow[];
};

export const promise = 'Send bot messages and wallet transfers exactly once.';
export const motto = 'Run it again. It happened once.';

const helpRow: HelpRow = { term: '-h, --help', about: 'show help' };

function commandRow({ name, about }: CommandSpec): HelpRow {
  return { term: name, about: capital(about) };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function optionRow({ flags, about, env }: OptionSpec): HelpRow {
  return { term: flags, about: env === undefined ? about : `${about} [${env}]` };
}

function groupsOf(options: readonly OptionSpec[], rest: string): HelpGroup[] {
  const titles = [...new Set(options.map(({ group }) => group ?? rest))];
  return titles.map((title) => ({
    title,
    rows: options.filter(({ group }) => (group ?? rest) === title).map(optionRow),
  }));
}

/** Everything the environment may say: what the options name, and the rest. */
export function environmentRows(): HelpRow[] {
  const fromOptions = globalOptions.flatMap(({ env, flags, about }) =>
    env === undefined ? [] : [{ term: env, about: `as ${flags.replace(/ .*/u, '')}: ${about}` }],
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
      ...groupsOf(globalOptions, 'Options'),
      {
        title: 'Options',
        rows: [{ term: '-V, --version', about: `print the version (${version})` }, helpRow],
      },
    ],
    examples: [],
    exits: [],
  };
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
    groups: [
      { title: 'Commands', rows: spec.children.map(commandRow) },
      { title: 'Options', rows: [helpRow] },
    ],
    examples: [],
    exits: [],
  };
}

function leafPage(path: string, spec: LeafSpec): HelpPage {
  const words = (spec.arguments ?? []).map(({ usage }) => usage);
  const own = groupsOf(spec.options ?? [], 'Options');
  const withHelp = own.some(({ title }) => title === 'Options')
    ? own.map((group) => (group.title === 'Options' ? { ...group, rows: [...group.rows, helpRow] } : group))
    : own;
  const global = groupsOf(globalOptions, 'Options').map((group) =>
    group.title === 'Output' && withHelp === own ? { ...group, rows: [...group.rows, helpRow] } : group,
  );
  return {
    path,
    usage: [path, ...words, '[options]'].join(' '),
    about: capital(spec.about),
    ...(spec.details === undefined ? {} : { details: spec.details }),
    groups: [
      ...(words.length === 0
        ? []
        : [
            {
              title: 'Arguments',
              rows: (spec.arguments ?? []).map(({ usage, about }) => ({ term: usage, about })),
            },
          ]),
      ...withHelp,
      ...global,
    ],
    examples: spec.examples.map(({ line, about }) => ({ line: line.replace(/ \\\n\s*/gu, ' '), about })),
    exits: exitTable.filter(({ exit }) => spec.exits.includes(exit)),
  };
}
