import { CommanderError } from 'commander';
import type { Failure } from '../errors.ts';
import {
  didYouMean,
  missingArgument,
  noCommand,
  optionAfterCommand,
  optionWithoutValue,
  unknownCommand,
  wrongUsage,
} from '../words/commandLine.ts';
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
    if (thrown.exitCode === 0) return { text };
    throw usageFailure(thrown, complaint, argv, tree);
  }
  if (chosen === undefined) throw noCommand([]);
  return { chosen, text };
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
  const hint = suggestion || nearOption(first, argv, tree);
  if (argument !== undefined) return missingArgument(argument, hint);
  return option === undefined ? wrongUsage(first, hint) : optionWithoutValue(option, hint);
}

/** An option of a command may have been written before its name, where only the program's own are known. */
function nearOption(said: string, argv: readonly string[], tree: readonly CommandSpec[]): string {
  const [, unknown] = /^unknown option '(--.*)'/su.exec(said) ?? [];
  if (unknown === undefined) return '';
  const own = longOptions(namedIn(argv, tree));
  const [name = ''] = unknown.split('=');
  if (own.includes(name)) return optionAfterCommand(name);
  const meant = nearest(unknown, own);
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
