import { type Command, CommanderError } from 'commander';
import type { Failure } from '../errors.ts';
import {
  didYouMean,
  missingArgument,
  noCommand,
  optionAfterCommand,
  optionOfOthers,
  optionWithoutValue,
  unknownCommand,
  wrongUsage,
} from '../words/commandLine.ts';
import { globalOptions } from './globalOptions.ts';
import { nearest } from './nearest.ts';
import { buildProgram, type Chosen } from './program.ts';
import type { CommandSpec } from './spec.ts';

/** What the words of a command line ask for: a command, or a text to print. Everything else is a failure. */
export async function parseCommandLine(
  argv: readonly string[],
  tree: readonly CommandSpec[],
  columns: number,
): Promise<{ chosen?: Chosen; text: string }> {
  let chosen: Chosen | undefined;
  let text = '';
  let complaint = '';
  const program = buildProgram(
    tree,
    (choice) => {
      chosen = choice;
    },
    argv,
  );
  overEach(program, (command) => {
    command.exitOverride();
    command.configureOutput({
      getOutHelpWidth: () => columns,
      writeOut: (chunk) => {
        text += chunk;
      },
      writeErr: (chunk) => {
        complaint += chunk;
      },
    });
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0 && !asksForUnknown(program)) return { text };
    if (thrown.exitCode === 0) return parseCommandLine(withoutHelp(argv), tree, columns);
    throw usageFailure(thrown, complaint, argv, tree);
  }
  if (chosen === undefined) throw noCommand([]);
  return { chosen, text };
}

/** Commander shows the help of the command above, and passes over a word that is no command. */
function asksForUnknown({ args: [word = '-'], commands }: Command): boolean {
  const named = commands.find((child) => child.name() === word || child.aliases().includes(word));
  return named === undefined ? commands.length > 0 && !word.startsWith('-') : asksForUnknown(named);
}

function withoutHelp(argv: readonly string[]): string[] {
  return argv.filter((word) => !/^(--help|-h)$/u.test(word));
}

function overEach(
  program: ReturnType<typeof buildProgram>,
  visit: (command: ReturnType<typeof buildProgram>) => void,
): void {
  visit(program);
  for (const child of program.commands) overEach(child as typeof program, visit);
}

function usageFailure(
  thrown: CommanderError,
  complaint: string,
  argv: readonly string[],
  tree: readonly CommandSpec[],
): Failure {
  if (thrown.code === 'commander.help') {
    const [, path = 'botctl'] = /^Usage: (botctl(?: [a-z-]+)*)/u.exec(complaint) ?? [];
    return noCommand(path.split(' ').slice(1));
  }
  // Of `--tokn=VALUE` commander would echo the value as well, and it may be a token.
  const withoutValue = complaint.replace(/^(error: unknown option '[^'=\n]*)=.*$/su, "$1'");
  const [first = thrown.message, ...rest] = withoutValue
    .replace(/^error: /u, '')
    .trim()
    .split('\n');
  const suggestion = rest.join(' ').replace(/^\(|\)$/gu, '');
  if (thrown.code === 'commander.unknownCommand') return unknownCommandFailure(first, suggestion, argv, tree);
  const [, option] = /^option '[^']*(--[a-z-]+)[^']*' argument missing$/u.exec(first) ?? [];
  const [, argument] = /^missing required argument '(.+)'$/u.exec(first) ?? [];
  const hint = meantOption(first, argv, tree) || suggestion || nearOption(first, argv, tree);
  if (argument !== undefined) return missingArgument(argument, hint);
  return option === undefined ? wrongUsage(first, hint) : optionWithoutValue(option, hint);
}

function unknownOption(said: string): string | undefined {
  const [, unknown] = /^unknown option '(--[^'=]*)/su.exec(said) ?? [];
  return unknown;
}

/** It stands before its command's name, is another command's, or is the beginning of one. */
function meantOption(said: string, argv: readonly string[], tree: readonly CommandSpec[]): string {
  const unknown = unknownOption(said);
  if (unknown === undefined) return '';
  const command = namedIn(argv, tree);
  const own = longOptions(command);
  if (own.includes(unknown)) return optionAfterCommand(unknown);
  const others = command === undefined ? [] : commandsWith(unknown, tree);
  if (others.length > 0) return optionOfOthers(unknown, others);
  const [begun, ...more] = [...own, ...globalLongOptions].filter((option) => option.startsWith(unknown));
  return begun === undefined || more.length > 0 || unknown === '--' ? '' : didYouMean(begun);
}

const globalLongOptions = globalOptions.flatMap(({ flags }) => flags.match(/--[a-z-]+/u) ?? []);

/** The commands that take this option, by the words that call them. */
function commandsWith(option: string, tree: readonly CommandSpec[]): string[] {
  return tree.flatMap((spec) => {
    if (spec.hidden === true) return [];
    if ('children' in spec) return commandsWith(option, spec.children).map((path) => `${spec.name} ${path}`);
    return longOptions(spec).includes(option) ? [spec.name] : [];
  });
}

function nearOption(said: string, argv: readonly string[], tree: readonly CommandSpec[]): string {
  const unknown = unknownOption(said);
  const meant = unknown && nearest(unknown, longOptions(namedIn(argv, tree)));
  return meant === undefined ? '' : didYouMean(meant);
}

/** The command that the words name: the first word that is one and, of a branch, the first after it. */
function namedIn(words: readonly string[], tree: readonly CommandSpec[]): CommandSpec | undefined {
  for (const [index, word] of words.entries()) {
    const spec = tree.find(({ name }) => name === word);
    if (spec === undefined) continue;
    return 'children' in spec ? (namedIn(words.slice(index + 1), spec.children) ?? spec) : spec;
  }
  return undefined;
}

function longOptions(spec: CommandSpec | undefined): string[] {
  if (spec === undefined) return [];
  if ('children' in spec) return spec.children.flatMap(longOptions);
  return (spec.options ?? []).flatMap(({ flags }) => flags.match(/--[a-z-]+/u) ?? []);
}

/** The help of the command that was probably meant, or what there is. */
function unknownCommandFailure(
  said: string,
  suggestion: string,
  argv: readonly string[],
  tree: readonly CommandSpec[],
): Failure {
  const [, unknown = ''] = /'(.*)'/su.exec(said) ?? [];
  const [, meant] = /^Did you mean ([a-z-]+)\?$/u.exec(suggestion) ?? [];
  const before = argv[argv.indexOf(unknown) - 1];
  const branch = tree.find((spec) => spec.name === before && 'children' in spec);
  const isBranch = branch !== undefined && 'children' in branch;
  const above = isBranch ? [branch.name] : [];
  return unknownCommand({
    said,
    suggestion,
    branch: isBranch ? { name: branch.name, children: branch.children.map(({ name }) => name) } : undefined,
    next: meant === undefined ? [...above, '--help'] : ['help', ...above, meant],
  });
}
