import { Option } from 'commander';
import { Given, type Occurrence } from './cli/given.ts';
import { environmentOnly, globalOptions } from './cli/globalOptions.ts';
import type { CommandSpec, Example, LeafSpec, OptionSpec, Run } from './cli/spec.ts';
import { StrictCommand } from './cli/strictCommand.ts';
import { type Exit, exitTable } from './errors.ts';
import { version } from './version.ts';

/** What the command line asks for: a command to load and run with what it was given. */
export type Chosen = { load: () => Promise<Run>; given: Given };

/** A fresh command tree. `choose` is called with the command that was named; nothing runs in here. */
export function buildProgram(tree: readonly CommandSpec[], choose: (chosen: Chosen) => void): StrictCommand {
  const program = new StrictCommand('botctl');
  program
    .description('Send bot messages and wallet transfers exactly once. Run it again. It happened once.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', rootFooter());
  for (const spec of globalOptions) declare(program, spec);
  for (const spec of tree) grow(program, program, spec, choose);
  return program;
}

function grow(
  program: StrictCommand,
  parent: StrictCommand,
  spec: CommandSpec,
  choose: (chosen: Chosen) => void,
): void {
  const command = parent.createCommand(spec.name);
  command.description(spec.details === undefined ? spec.about : `${spec.about}\n\n${spec.details}`);
  command.summary(spec.about).copyInheritedSettings(parent);
  command.helpOption('-h, --help', 'show help');
  parent.addCommand(command, { hidden: spec.hidden === true });
  if ('children' in spec) {
    for (const child of spec.children) grow(program, command, child, choose);
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
  command.addHelpText('after', leafFooter(spec.examples, spec.exits));
  command.allowExcessArguments(false);
  command.action(() => {
    const occurrences: Occurrence[] = [...program.occurrences, ...command.occurrences];
    const declared = new Set([...program.options, ...command.options].map(nameOf));
    choose({ load: spec.load, given: new Given(pathOf(command), command.args, occurrences, declared) });
  });
}

function nameOf(option: Option): string {
  return option.negate ? `no-${option.name().replace(/^no-/u, '')}` : option.name();
}

function pathOf(command: StrictCommand): string {
  const parent = command.parent;
  return parent instanceof StrictCommand && parent.parent
    ? `${pathOf(parent)} ${command.name()}`
    : command.name();
}

function declare(command: StrictCommand, spec: OptionSpec): void {
  const about = spec.env === undefined ? spec.about : `${spec.about} [${spec.env}]`;
  const option = new Option(spec.flags, about);
  if (spec.group !== undefined) option.helpGroup(`${spec.group}:`);
  command.addOption(option);
  if (spec.repeatable) command.allowRepeating(option);
}

function leafFooter(examples: readonly Example[], exits: readonly Exit[]): string {
  const shown = examples.map(({ line, about }) => `  # ${about}\n  $ ${line}`).join('\n\n');
  const rows = exitTable
    .filter((row) => exits.includes(row.exit))
    .map((row) => `  ${String(row.exit).padStart(3)}  ${row.means}`);
  return `\nExamples:\n${shown}\n\nExit codes:\n${rows.join('\n')}`;
}

function rootFooter(): string {
  const rows = environmentOnly.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`);
  return `\nEnvironment:\n${rows.join('\n')}`;
}
