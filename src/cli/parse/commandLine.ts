import { Command, CommanderError, Help, type HelpContext, Option, type OutputConfiguration } from 'commander';
import { failureWith } from '../../once/failures.ts';
import { listed } from '../../once/phrases.ts';
import type { Does } from '../wording/problem.ts';
import { Args, answeredOptions, globalOptions, type OptionOccurrence, type OptionSpec } from './args.ts';
import type { CommandSpec, Example, LeafSpec } from './command.ts';
import { version } from './version.ts';

export const promise = 'Send each bot message and each wallet transfer once.';
export const motto = 'Run it again. It happened once.';

/** The chosen command, how to load it, and its arguments. */
export type Chosen = { load: LeafSpec['load']; does: Does; args: Args<string> };

/** What the command line asks for: a command, or a text to print. Everything else is a failure. */
export function parseCommandLine(
  argv: readonly string[],
  tree: readonly CommandSpec[],
  columns: number,
): Chosen | string {
  let chosen: Chosen | undefined;
  let text = '';
  const output: OutputConfiguration = {
    getOutHelpWidth: () => Math.min(columns, widestHelp),
    writeOut: (chunk) => {
      text += chunk;
    },
    writeErr: () => {},
  };
  const choose = (choice: Chosen): void => {
    chosen = choice;
  };
  const program = buildProgram(tree, choose, output, argv);
  try {
    program.parse(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return text;
    throw failureWith('usage', { next: [['--help']] })`No command is given
      The help lists the commands:`;
  }
  if (chosen === undefined) throw new Error('commander neither chose a command nor printed a text');
  return chosen;
}

const widestHelp = 96;

const [versionOption, helpOption] = answeredOptions as [OptionSpec, OptionSpec];

/** Builds the command tree. `choose` is called with the named command; nothing runs here. */
export function buildProgram(
  tree: readonly CommandSpec[],
  choose: (chosen: Chosen) => void,
  output: OutputConfiguration,
  words?: readonly string[],
): StrictCommand {
  const program = new StrictCommand('botctl')
    .description(`${promise}\n${motto}\n\n${examplesIn(rootExamples)}`)
    .usage('<command> [options]')
    .version(version, versionOption.flags, versionOption.about)
    .helpOption(helpOption.flags, helpOption.about)
    .helpCommand(false)
    .configureHelp({ boxWrap: wrapProse })
    .configureOutput(output)
    .exitOverride() as StrictCommand;
  for (const spec of globalOptions) program.declare(spec);
  for (const spec of tree) grow(program, spec, choose, words);
  return program;
}

const rootExamples: readonly Example[] = [
  {
    about: 'Try it without an account',
    line: 'botctl --sandbox send --conversation conv_demo --content "Hello"',
  },
];

/** Adds a command. If the command line does not name it, the help needs only its name and purpose. */
function grow(
  parent: StrictCommand,
  spec: CommandSpec,
  choose: (chosen: Chosen) => void,
  words: readonly string[] | undefined,
): void {
  const command = parent.command(spec.name) as StrictCommand;
  const { about, details, group } = spec;
  const examples = 'children' in spec ? [] : spec.examples;
  command.summary(about).description([about, details, examplesIn(examples)].filter(Boolean).join('\n\n'));
  if (group !== undefined) command.helpGroup(`${group}:`);
  if (words !== undefined && !words.includes(spec.name)) return;
  command.addHelpText('after', '\nbotctl --help lists the options that every command takes.');
  if ('children' in spec) {
    command.helpCommand(false);
    for (const child of spec.children) grow(command, child, choose, words);
    return;
  }
  for (const argument of spec.arguments) command.argument(argument.usage, argument.about);
  for (const option of spec.options) command.declare(option);
  command.action(() => {
    const all = withParents(command);
    const occurrences = all.flatMap((one) => one.occurrences);
    refuseSharedStdin([...globalOptions, ...spec.options], occurrences, spec, command.args);
    const declared = new Set(all.flatMap((one) => one.options).map(nameOf));
    const args = new Args<string>(pathOf(command), command.args, occurrences, declared);
    choose({ load: spec.load, does: spec.does, args });
  });
}

/** Examples come above the options: on a screen of 24 lines the options must stay visible. */
function examplesIn(examples: readonly Example[]): string {
  return examples.map(({ about, line }) => `  # ${about}\n  $ ${line}`).join('\n');
}

const plainHelp = new Help();

/** commander wraps no text that has an indented line. Here only that line stays unwrapped. */
function wrapProse(text: string, width: number): string {
  const lines = text
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : plainHelp.boxWrap(line, width)));
  return lines.join('\n');
}

/** Only one of the things that a command reads can come from stdin. */
function refuseSharedStdin(
  options: readonly OptionSpec[],
  occurrences: readonly OptionOccurrence[],
  { arguments: takes }: LeafSpec,
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
    throw failureWith('usage')`${listed(readers)} ${readers.length === 2 ? 'both' : 'all'} read stdin
      Only one of them can be -; give the others as files.`;
}

/** commander calls a `--no-x` option `x`. */
function nameOf(option: Option): string {
  return (option.long ?? '').replace(/^--/u, '');
}

/** The program, the commands between, and the command itself. */
function withParents(command: StrictCommand): StrictCommand[] {
  return command.parent instanceof StrictCommand ? [...withParents(command.parent), command] : [command];
}

/** `config add`. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

const seeHelp = 'Add --help to the command to see what it takes.';

/**
 * Closes commander's traps: an option given twice is an error unless it is repeatable, `--memo --yes` is an error and
 * never a memo called `--yes`, and every wrong line is one failure called `usage`.
 */
export class StrictCommand extends Command {
  readonly occurrences: OptionOccurrence[] = [];
  /** A method of commander that its types leave out: reports the unknown first word, with a suggestion. */
  declare readonly unknownCommand: () => never;

  /** Reports an unknown word even before `--help`: otherwise the help of the parent command would be shown. */
  override helpInformation(context?: HelpContext): string {
    if (this.commands.length > 0 && /^[^-]/u.test(this.args[0] ?? '')) this.unknownCommand();
    return super.helpInformation(context);
  }

  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  declare({ flags, about, env, group, repeatable }: OptionSpec): void {
    const option = new Option(flags, env === undefined ? about : `${about} [${env}]`);
    if (group !== undefined) option.helpGroup(`${group}:`);
    this.addOption(option);
    const name = nameOf(option);
    this.on(`option:${option.name()}`, (value: string | null | undefined) => {
      if (!repeatable && this.occurrences.some((occurrence) => occurrence.name === name))
        throw failureWith('usage')`--${name} is given twice
          Give it once: botctl does not guess which one you mean.`;
      this.occurrences.push({ name, value: value ?? true });
    });
  }

  override parseOptions(words: string[]): ReturnType<Command['parseOptions']> {
    const taking = this.#takingValues();
    for (const [index, word] of words.entries()) {
      if (word === '--') break;
      const next = words[index + 1] ?? '';
      if (!taking.has(word) || !/^-./u.test(next)) continue;
      const looksLike = next.replace(/=.*/su, '');
      throw failureWith('usage')`${word} needs a value, but ${looksLike} looks like an option
        If that is the value, write it with =, as in ${taking.get(word) ?? word}=${looksLike}.`;
    }
    return super.parseOptions(words);
  }

  /**
   * Every spelling of an option that needs a value, with its long form, here and in the commands below. The program
   * parses its global options first, and would take `--json` out of `--memo --json`.
   */
  #takingValues(): Map<string, string> {
    const own = this.options.flatMap(({ required, short, long = '' }) =>
      required
        ? [short, long].flatMap((written): [string, string][] => (written ? [[written, long]] : []))
        : [],
    );
    const below = this.commands.flatMap((child) => [...(child as StrictCommand).#takingValues()]);
    return new Map([...own, ...below]);
  }

  #knows(flag: string): boolean {
    const isOwn = this.options.some(({ long }) => long === flag);
    return isOwn || (this.parent instanceof StrictCommand && this.parent.#knows(flag));
  }

  /** The value of an unknown option may be a token, so it is never repeated. */
  override error(message: string): never {
    const [, said = '', hint] =
      /^(?:error: )?(.*?)(?:\n\((Did you mean [-a-z, ]+\?)\))?$/su.exec(message) ?? [];
    const [flag = ''] = /--[^='\s]+(?==)/u.exec(said) ?? [];
    if (this.#knows(flag))
      throw failureWith('usage')`${flag} takes no value
      Write ${flag} alone, or leave it out.`;
    const safe = said.replace(/(?<=^unknown option ')(--[^='\s]*|-.).*$/su, "$1'");
    throw failureWith('usage')`${safe.charAt(0).toUpperCase()}${safe.slice(1)}
      ${hint === undefined ? seeHelp : hint}`;
  }
}
