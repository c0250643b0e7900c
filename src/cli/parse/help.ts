import packageJson from '../../../package.json' with { type: 'json' };
import type { Exit } from '../../once/failures.ts';
import { groupedExits } from '../say/told.ts';
import { foldCommand, wrapText, wrapWords } from '../show/text.ts';
import {
  type CommandSpec,
  commandGroups,
  type Example,
  globalOptions,
  type LeafSpec,
  type OptionSpec,
} from './command.ts';

/** A rare row is described in the manual page only. */
export type HelpRow = { readonly term: string; readonly about: string; readonly rare?: true };
export type HelpGroup = { readonly title: string; readonly rows: readonly HelpRow[] };

/** Everything about one command except the layout. Help and man page are made from it. */
export type HelpPage = {
  readonly path: string;
  readonly usage: string;
  readonly about: string;
  readonly details?: string;
  readonly groups: readonly HelpGroup[];
  /** Where to read about the options that every command takes. */
  readonly shared?: string;
  readonly examples: readonly Example[];
  readonly exits: readonly Exit[];
  readonly again?: string;
};

export const promise = 'Send each bot message and each wallet transfer once.';
export const motto = 'Run it again. It happened once.';

const helpRow: HelpRow = { term: '-h, --help', about: 'show the help for a command' };

const versionRow: HelpRow = { term: '--version', about: 'print the version' };

const shared = 'Every command also takes --sandbox, --profile, --json, …: botctl --help';

function commandRow({ name, about }: CommandSpec): HelpRow {
  return { term: name, about: capital(about) };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function optionRow({ flags, about, env, rare }: OptionSpec): HelpRow {
  return { term: flags, about: env === undefined ? about : `${about} [${env}]`, ...(rare && { rare }) };
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
    group.title === 'Output' ? { ...group, rows: [...group.rows, helpRow, versionRow] } : group,
  );
}

/** All environment variables: those that options name, and the rest. */
export function environmentRows(): HelpRow[] {
  const fromOptions = globalOptions.flatMap(({ env, name, about }) =>
    env === undefined ? [] : [{ term: env, about: `as --${name}: ${about}` }],
  );
  return [...fromOptions, ...environmentOnly.map(({ name, about }) => ({ term: name, about }))];
}

export function rootPage(tree: readonly CommandSpec[]): HelpPage {
  const listed = tree.filter(({ group }) => group !== undefined);
  const width = Math.max(...listed.map(({ name }) => name.length));
  return {
    path: 'botctl',
    usage: 'botctl <command> [options]',
    about: `${promise}\n${motto}`,
    groups: [
      ...commandGroups.map((title) => ({
        title,
        rows: listed
          .filter(({ group }) => group === title)
          .map((spec) => ({ ...commandRow(spec), term: spec.name.padEnd(width) })),
      })),
      ...globalGroups(),
    ],
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

export function withoutHelp(argv: readonly string[]): string[] {
  return argv.filter((word) => !/^(--help|-h)$/u.test(word));
}

/** The page for a command line that contains only a command's name, or none, and at most `--help`. */
export function requestedPage(argv: readonly string[], tree: readonly CommandSpec[]): HelpPage | undefined {
  const words = withoutHelp(argv);
  const asks = words.length < argv.length;
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
    exits: spec.exits,
    ...(spec.again === undefined ? {} : { again: spec.again }),
  };
}

/** The help topics besides the commands. */
export const helpTopics = [
  { name: 'exit-codes', about: 'what each exit code means, and what to do' },
  { name: 'reruns', about: 'what happens when you run a command again' },
  { name: 'agents', about: 'how a program uses botctl safely' },
] as const;

export type TopicName = (typeof helpTopics)[number]['name'];

const widestHelp = 96;
const widestTerm = 28;
const narrowHelp = 60;

/** Terms beside their texts, or above them if the terminal is narrow or a term is long. */
export function drawRows(rows: readonly HelpRow[], columns: number): string[] {
  const fitting = rows.map(({ term }) => term.length).filter((length) => length <= widestTerm);
  const termWidth = Math.max(0, ...fitting);
  const stacked = columns < narrowHelp && termWidth > columns / 6;
  const indent = stacked ? 6 : termWidth + 4;
  return rows.flatMap(({ term, about }) => {
    const lines = wrapWords(about, Math.max(16, columns - indent));
    const beside = !stacked && term.length <= termWidth;
    const first = beside ? [`  ${term.padEnd(termWidth)}  ${lines.shift() ?? ''}`.trimEnd()] : [`  ${term}`];
    return [...first, ...lines.map((line) => ' '.repeat(indent) + line)];
  });
}

/** Long terms, each with its text below. */
export function drawStacked(rows: readonly HelpRow[], columns: number): string[] {
  return rows.flatMap(({ term, about }) => [
    ...wrapWords(term, columns - 4).map((line, index) => `${index === 0 ? '  ' : '    '}${line}`),
    ...wrapWords(about, columns - 8).map((line, index) => `${index === 0 ? '      → ' : '        '}${line}`),
  ]);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines];
}

function drawExamples({ examples }: HelpPage, columns: number): string[] {
  return examples.flatMap(({ line, about }, index) => [
    ...(index === 0 ? [] : ['']),
    ...wrapWords(about, columns - 4).map((text) => `  # ${text}`),
    ...foldCommand(line, columns - 4).map((text, part) => (part === 0 ? `  $ ${text}` : `    ${text}`)),
  ]);
}

export function helpColumns(columns: number): number {
  return Math.min(widestHelp, Math.max(32, columns));
}

export function drawGroups(groups: readonly HelpGroup[], columns: number): string[] {
  return groups.flatMap(({ title, rows }) => section(title, drawRows(rows.filter(isCommon), columns)));
}

const isCommon = ({ rare }: HelpRow): boolean => rare !== true;

/** Where the rare options are described. */
function drawRare({ groups }: HelpPage, columns: number): string[] {
  const rare = groups.flatMap(({ rows }) => rows.filter((row) => !isCommon(row)));
  const names = rare.map(({ term }) => term.match(/--[a-z-]+/u)?.[0]);
  return names.length === 0 ? [] : wrapWords(`Rarely needed, see man botctl: ${names.join(', ')}`, columns);
}

const usageIndent = ' '.repeat('Usage: '.length);

function drawExits({ exits, again }: HelpPage, columns: number): string[] {
  const parts = groupedExits.flatMap(({ group, short, rows }) => {
    const own = rows.filter(({ exit }) => exits.includes(exit)).map(({ exit }) => exit);
    return own.length === 0 ? [] : [`${own.join(', ')} ${group === 'again' ? (again ?? short) : short}`];
  });
  if (parts.length === 0) return [];
  const lines = wrapWords(`Exit codes: ${parts.join('; ')}`, columns);
  const ended = `${lines.pop()} (botctl help exit-codes)`;
  // The pointer is not broken if it fits a line.
  return ['', ...lines, ...(ended.length > columns ? ended.split(/ (?=\()/u) : [ended])];
}

/** The help of one command, as wide as the terminal up to a limit. Its own options come first. */
export function drawHelp(page: HelpPage, terminalColumns: number): string {
  const columns = helpColumns(terminalColumns);
  const lines = [
    ...wrapWords(`Usage: ${page.usage}`, columns - usageIndent.length).map((line, index) =>
      index === 0 ? line : usageIndent + line,
    ),
    '',
    ...page.about.split('\n').flatMap((line) => wrapWords(line, columns)),
    ...drawGroups(page.groups, columns),
    ...(page.shared === undefined ? [] : ['', ...wrapWords(page.shared, columns)]),
    ...drawRare(page, columns),
    ...(page.details === undefined ? [] : ['', ...wrapText(page.details, columns)]),
    ...section('Examples', drawExamples(page, columns)),
    ...drawExits(page, columns),
    ...(page.path === 'botctl' ? section('More', drawRows(more, columns)) : []),
  ];
  return `${lines.join('\n')}\n`;
}

const more: readonly HelpRow[] = [
  { term: 'botctl help <command>', about: 'the options and examples of a command' },
  { term: 'man botctl', about: 'everything, with the rare options' },
  ...helpTopics.map(({ name, about }) => ({ term: `botctl help ${name}`, about })),
];

/** Variables that no option names. */
const environmentOnly: readonly { name: string; about: string }[] = [
  {
    name: 'BOTCTL_TOKEN',
    about: 'the bot’s token, for BOTCTL_BASE_URL; --token-file and --profile override it',
  },
  {
    name: 'BOTCTL_RUN',
    about: 'a name for all commands of one run, each of which happens once; a retry must use the same one',
  },
  { name: 'NO_COLOR', about: 'use no colours, if it is not empty' },
  { name: 'FORCE_COLOR', about: 'use colours even if the output is not a terminal; 0: use none' },
];

export const version: string = packageJson.version;

/**
 * The profile keys for retries and spending. Listed here for the help; the code that reads their values loads later.
 */
export const settingKeys = ['timeout', 'max-wait', 'policy'] as const;

export type SettingKey = (typeof settingKeys)[number];

/** The profile keys that say which chain the transfers are on, and which nodes can show them. */
export const chainKeys = ['rpc-url', 'cluster', 'wallet', 'assets'] as const;

export type ChainKey = (typeof chainKeys)[number];

export const shells = ['bash', 'zsh', 'fish'] as const;
