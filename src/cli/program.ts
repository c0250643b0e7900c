import { Option } from 'commander';
import { version } from '../version.ts';
import { tooManyArguments } from '../words/commandLine.ts';
import type { Does } from '../words/ends.ts';
import { Given, type Occurrence } from './given.ts';
import { globalOptions } from './globalOptions.ts';
import { commandPage, type HelpPage, rootPage } from './helpPage.ts';
import { drawHelp } from './helpText.ts';
import type { CommandSpec, LeafSpec, OptionSpec, Run } from './spec.ts';
import { StrictCommand } from './strictCommand.ts';

/** What the command line asks for: a command to load and run with what it was given. */
export type Chosen = { load: () => Promise<Run>; does: Does; given: Given };

/**
 * A fresh command tree. `choose` is called with the command that was named; nothing runs in here. With the
 * words of a command line, a command that is none of them is known by its name alone: it cannot be meant.
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
    const occurrences: Occurrence[] = [...program.occurrences, ...command.occurrences];
    const { args } = command;
    refuseExtraWords(spec, pathOf(command), args.length);
    const declared = new Set([...program.options, ...command.options].map(nameOf));
    choose({
      load: spec.load,
      does: spec.does,
      given: new Given(pathOf(command), args, occurrences, declared),
    });
  });
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
