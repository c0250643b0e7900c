// Writes dist/man/botctl.1: the pages of the help, one after another.
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { buildProgram, motto, promise } from '../src/cli/parse/commandLine.ts';
import { topicNames, topicOf } from '../src/cli/parse/topics.ts';
import { version } from '../src/cli/parse/version.ts';
import { commandTree } from '../src/commands.ts';
import { quoted, roff, verbatim } from './roff.ts';

const program = buildProgram(commandTree, () => {}, { getOutHelpWidth: () => 76 });

function pages(command: Command, path: string): string[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((child) => pages(child, `${path} ${child.name()}`));
  return [`.SS ${quoted(path)}`, ...verbatim(command.helpInformation())];
}

// As in other builds, so that two builds of the same source can be identical.
const { SOURCE_DATE_EPOCH: epochS } = process.env;
const builtAt = epochS === undefined ? new Date() : new Date(Number(epochS) * 1000);

const page = [
  `.TH BOTCTL 1 ${builtAt.toISOString().slice(0, 10)} ${quoted(`botctl ${version}`)} "botctl manual"`,
  '.SH NAME',
  `botctl \\- ${roff(promise.charAt(0).toLowerCase() + promise.slice(1, -1))}`,
  '.SH DESCRIPTION',
  roff(`${promise} ${motto}`),
  '.SH OPTIONS',
  ...verbatim(program.helpInformation()),
  '.SH COMMANDS',
  ...pages(program, 'botctl'),
  ...topicNames.flatMap((name) => [`.SH ${quoted(name.toUpperCase())}`, ...verbatim(topicOf(name) ?? '')]),
];

mkdirSync('dist/man', { recursive: true });
writeFileSync('dist/man/botctl.1', `${page.join('\n')}\n`);
