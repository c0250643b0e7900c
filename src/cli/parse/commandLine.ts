import { Command, CommanderError, Option } from 'commander';
import { listed } from '../say/phrases.ts';
import { type Does, told } from '../say/told.ts';
import {
  type CommandSpec,
  globalOptions,
  type LeafSpec,
  type OptionOccurrence,
  type OptionSpec,
  ParsedArgs,
} from './command.ts';
import { commandPage, drawHelp, type HelpPage, rootPage, version, withoutHelp } from './help.ts';
import { noCommand, optionForValue, tooManyArguments, wrongLine } from './wrongLine.ts';

/** What the command line asks for: a command, or a text to print. Everything else is a failure. */
export async function parseCommandLine(
  argv: readonly string[],
  tree: readonly CommandSpec[],
  columns: number,
): Promise<{ chosen?: Chosen; text: string }> {
  let chosen: Chosen | undefined;
  let text = '';
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
      writeErr: () => {},
    });
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0 && !asksForUnknown(program)) return { text };
    if (thrown.exitCode === 0) return parseCommandLine(withoutHelp(argv), tree, columns);
    throw wrongLine(thrown.code, argv, tree);
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
  const named = commands.find((child) => child.name() === word);
  return named === undefined ? commands.length > 0 && !word.startsWith('-') : asksForUnknown(named);
}

function overEach(
  program: ReturnType<typeof buildProgram>,
  visit: (command: ReturnType<typeof buildProgram>) => void,
): void {
  visit(program);
  for (const child of program.commands) overEach(child as typeof program, visit);
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
    .version(version, '--version', 'print the version')
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
  if (got > takes.length && !takes.at(-1)?.usage.includes('...')) throw tooManyArguments(command, got, takes);
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
