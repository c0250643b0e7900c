import { Command, CommanderError, Option } from 'commander';
import type { Failure } from '../../once/failures.ts';
import { counted, listed, type Suggestion } from '../say/phrases.ts';
import { type Does, Told, told } from '../say/told.ts';
import {
  type CommandSpec,
  globalOptions,
  type LeafSpec,
  nearest,
  type OptionOccurrence,
  type OptionSpec,
  ParsedArgs,
} from './command.ts';
import { commandPage, drawHelp, type HelpPage, rootPage, version, withoutHelp } from './help.ts';

/** What the command line asks for: a command, or a text to print. Everything else is a failure. */
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

/**
 * Whether help is requested for an unknown command. commander would ignore the word and show the help of the command
 * above.
 */
function asksForUnknown({ args, commands }: Command): boolean {
  const [word = '-'] = withoutHelp(args);
  const named = commands.find((child) => child.name() === word || child.aliases().includes(word));
  return named === undefined ? commands.length > 0 && !word.startsWith('-') : asksForUnknown(named);
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
  // For `--tokn=VALUE` commander would also echo the value, which may be a token.
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
  if (argument !== undefined) return wrongUsage(`The argument <${argument}> is missing`, hint);
  return option === undefined ? wrongUsage(first, hint) : wrongUsage(`${option} needs a value`, hint);
}

function unknownOption(said: string): string | undefined {
  const [, unknown] = /^unknown option '(--[^'=]*)/su.exec(said) ?? [];
  return unknown;
}

/**
 * The hint for an unknown option: it stands before its command's name, belongs to another command, or is abbreviated.
 */
function meantOption(said: string, argv: readonly string[], tree: readonly CommandSpec[]): string {
  const unknown = unknownOption(said);
  if (unknown === undefined) return '';
  const command = namedIn(argv, tree);
  const own = longOptions(command);
  if (own.includes(unknown)) return `Write ${unknown} after the command’s name.`;
  const others = command === undefined ? [] : commandsWith(unknown, tree);
  if (others.length > 0) return `${unknown} is an option of ${listed(others)}.`;
  const [begun, ...more] = [...own, ...globalLongOptions].filter((option) => option.startsWith(unknown));
  return begun === undefined || more.length > 0 || unknown === '--' ? '' : didYouMean(begun);
}

const globalLongOptions = globalOptions.map(({ name }) => `--${name}`);

/** The commands that take this option. */
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

/** The command that the words name: the first word that is a command and, below a branch, the word after it. */
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
  return (spec.options ?? []).map(({ name }) => `--${name}`);
}

/** Shows the help of the command that was probably meant, or all commands. */
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

/** The chosen command, how to load it, and its arguments. */
export type Chosen = { load: LeafSpec['load']; does: Does; given: ParsedArgs<string> };

/**
 * Builds a fresh command tree. `choose` is called with the named command; nothing runs here. Given a command line, the
 * tree describes other commands by name only, because they cannot be meant.
 */
export function buildProgram(
  tree: readonly CommandSpec[],
  choose: (chosen: Chosen) => void,
  words?: readonly string[],
): StrictCommand {
  const program = new StrictCommand('botctl');
  program
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false);
  drawnFrom(program, () => rootPage(tree));
  for (const spec of globalOptions) declare(program, spec);
  for (const spec of tree) {
    if (words === undefined || words.includes(spec.name)) addCommand(program, program, spec, choose);
    else program.addCommand(program.createCommand(spec.name), { hidden: spec.hidden === true });
  }
  return program;
}

function addCommand(
  program: StrictCommand,
  parent: StrictCommand,
  spec: CommandSpec,
  choose: (chosen: Chosen) => void,
): void {
  const command = parent.createCommand(spec.name);
  command.copyInheritedSettings(parent);
  command.helpOption('-h, --help', 'show help').helpCommand(false);
  if (spec.alias !== undefined) command.alias(spec.alias);
  drawnFrom(command, () => commandPage(pathOf(command, 'botctl'), spec));
  parent.addCommand(command, { hidden: spec.hidden === true });
  if ('children' in spec) {
    for (const child of spec.children) addCommand(program, command, child, choose);
    return;
  }
  growLeaf(program, command, spec, choose);
}

function growLeaf(
  program: StrictCommand,
  command: StrictCommand,
  spec: LeafSpec,
  choose: (chosen: Chosen) => void,
): void {
  for (const argument of spec.arguments ?? []) command.argument(argument.usage, argument.about);
  for (const option of spec.options ?? []) declare(command, option);
  command.allowExcessArguments();
  command.action(() => {
    const occurrences: OptionOccurrence[] = [...program.occurrences, ...command.occurrences];
    const { args } = command;
    refuseExtraWords(spec, pathOf(command), args.length);
    refuseSharedStdin([...globalOptions, ...(spec.options ?? [])], occurrences, spec, args);
    const declared = new Set([...program.options, ...command.options].map(nameOf));
    choose({
      load: spec.load,
      does: spec.does,
      given: new ParsedArgs(pathOf(command), args, occurrences, declared),
    });
  });
}

/** Only one of the things that a command reads can come from stdin. */
function refuseSharedStdin(
  options: readonly OptionSpec[],
  occurrences: readonly OptionOccurrence[],
  { arguments: takes = [] }: LeafSpec,
  args: readonly string[],
): void {
  const reading = options.flatMap(({ name, readsStdin }) => (readsStdin ? [name] : []));
  const readers = [
    ...takes.flatMap(({ usage, readsStdin }, index) => (readsStdin && args[index] === '-' ? [usage] : [])),
    ...occurrences.flatMap(({ name, value }) =>
      (value === '-' || value === true) && reading.includes(name) ? [`--${name}`] : [],
    ),
  ];
  if (readers.length >= 2)
    throw told('usage')`${listed(readers)} ${readers.length === 2 ? 'both' : 'all'} read stdin
      Only one of them can be -; give the others as files.`;
}

function refuseExtraWords({ arguments: takes = [] }: LeafSpec, command: string, got: number): void {
  if (got <= takes.length || takes.at(-1)?.usage.includes('...')) return;
  const usages = takes.map(({ usage }) => usage);
  throw tooManyArguments(command, got, usages);
}

function nameOf(option: Option): string {
  return option.negate ? `no-${option.name().replace(/^no-/u, '')}` : option.name();
}

function pathOf(command: StrictCommand, before?: string): string {
  const parent = command.parent;
  if (parent instanceof StrictCommand && parent.parent) return `${pathOf(parent, before)} ${command.name()}`;
  return before === undefined ? command.name() : `${before} ${command.name()}`;
}

function drawnFrom(command: StrictCommand, page: () => HelpPage): void {
  command.configureHelp({ formatHelp: (_command, { helpWidth }) => drawHelp(page(), helpWidth ?? 80) });
}

function declare(command: StrictCommand, spec: OptionSpec): void {
  const option = new Option(spec.flags, spec.about);
  command.addOption(option);
  if (spec.repeatable) command.allowRepeating(option);
}

function looksLikeOption(word: string | undefined): word is string {
  return word !== undefined && word.length > 1 && word.startsWith('-');
}

/**
 * Closes commander's three traps for every command: an option given twice is an error unless declared repeatable,
 * `--memo --yes` is an error and never a memo called `--yes`, and every wrong usage is one `Failure` called `usage`.
 */
export class StrictCommand extends Command {
  readonly occurrences: OptionOccurrence[] = [];
  readonly #repeatable = new Set<string>();

  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  allowRepeating(option: Option): void {
    this.#repeatable.add(option.name());
  }

  override addOption(option: Option): this {
    super.addOption(option);
    // commander calls a `--no-x` option `x`, but reports it as `no-x`.
    const name = option.negate ? `no-${option.name().replace(/^no-/u, '')}` : option.name();
    this.on(`option:${option.name()}`, (value: string | null | undefined) => {
      this.#refuseSecond(name);
      this.occurrences.push({ name, value: value ?? true });
    });
    return this;
  }

  override parseOptions(words: string[]): ReturnType<Command['parseOptions']> {
    const taking = this.#takingValues();
    for (const [index, word] of words.entries()) {
      if (word === '--') break;
      const next = words[index + 1];
      if (!taking.has(word) || !looksLikeOption(next)) continue;
      throw optionForValue(word, next.replace(/=.*/su, ''), taking.get(word));
    }
    return super.parseOptions(words);
  }

  /**
   * Every way to write an option that needs a value, here and in the commands below, with its long form. The commands
   * below are included because the program parses its own options first: `--memo --json x` would lose them.
   */
  #takingValues(): Map<string, string> {
    const taking = new Map<string, string>();
    for (const { required, short, long } of this.options) {
      if (!required) continue;
      for (const written of [short, long]) if (written) taking.set(written, long ?? written);
    }
    for (const child of this.commands) {
      if (child instanceof StrictCommand)
        for (const [word, long] of child.#takingValues()) taking.set(word, long);
    }
    return taking;
  }

  #refuseSecond(name: string): void {
    if (this.#repeatable.has(name)) return;
    if (!this.occurrences.some((occurrence) => occurrence.name === name)) return;
    throw told('usage')`--${name} is given twice
      Give it once: botctl does not guess which one you mean.`;
  }
}

/** A wrong command line has run nothing, and says so: an operator who pays with it must not have to guess. */
function wrong(what: string, hint: string, next: readonly Suggestion[] = []): Told {
  return new Told('usage', what, { hint, ...(next.length === 0 ? {} : { next }) });
}

function noCommand(branch: readonly string[]): Told {
  return told('usage', { next: [[...branch, '--help']] })`No command is given
    The help lists the commands:`;
}

/** `said` is the parser's message. */
function wrongUsage(said: string, suggestion: string): Told {
  return wrong(capital(said), suggestion || 'Add --help to the command to see what it takes.');
}

function didYouMean(option: string): string {
  return `Did you mean ${option}?`;
}

type Unknown = {
  readonly said: string;
  readonly suggestion: string;
  readonly branch: { readonly name: string; readonly children: readonly string[] } | undefined;
  readonly next: Suggestion;
};

function unknownCommand({ said, suggestion, branch, next }: Unknown): Told {
  const there =
    branch === undefined
      ? 'The help lists the commands:'
      : `${branch.name} has the ${branch.children.length === 1 ? 'command' : 'commands'} ${listed(branch.children)}.`;
  return wrong(capital(said), suggestion || there, [next]);
}

function optionForValue(word: string, looksLike: string, long: string | undefined): Told {
  return told('usage')`${word} needs a value, but ${looksLike} looks like an option
    If that is the value, write it with =, as in ${long ?? word}=${looksLike}.`;
}

/** The words are not repeated, because one of them may be a token. */
function tooManyArguments(command: string, got: number, usages: readonly string[]): Told {
  const takes =
    usages.length === 0
      ? 'no positional arguments'
      : `${counted(usages.length, 'argument')} (${usages.join(' ')})`;
  return told('usage', { next: [[...command.split(' '), '--help']] })`
    ${command} takes ${takes}, but got ${got}
    ${usages.length === 0 ? 'Give each value with its option. ' : ''}Put a value that contains spaces in quotes. The help shows what the command takes:`;
}

function capital(said: string): string {
  return `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/u, '')}`;
}
