// Writes dist/man/botctl.1 from the command tree and the program's own tables.
import { mkdirSync, writeFileSync } from 'node:fs';
import { topics } from '../src/cli/commands/help/run.ts';
import type { CommandSpec, LeafSpec } from '../src/cli/parse/command.ts';
import {
  commandPage,
  type HelpPage,
  motto,
  promise,
  type TopicName,
  version,
} from '../src/cli/parse/help.ts';
import { foldCommand } from '../src/cli/show/text.ts';
import { commandTree } from '../src/tree.ts';
import { paragraphs, quoted, roff, tagged, verbatim } from './roff.ts';

function leavesOf(spec: CommandSpec): { path: string; spec: LeafSpec }[] {
  if (spec.hidden === true) return [];
  return 'children' in spec
    ? spec.children.map((child) => ({ path: `${spec.name} ${child.name}`, spec: child }))
    : [{ path: spec.name, spec }];
}

function section({ path, usage, about, details, groups, examples, exits }: HelpPage): string[] {
  const rows = groups.flatMap((group) => group.rows);
  return [
    `.SS ${quoted(path)}`,
    `.B ${roff(usage)}`,
    '.PP',
    roff(about),
    ...(details === undefined ? [] : ['.PP', ...paragraphs(details)]),
    ...tagged(rows),
    ...examples.flatMap(({ line, about: why }) => [
      '.PP',
      roff(`${why}:`),
      '.PP',
      '.RS 4',
      ...verbatim(foldCommand(line, 68)),
      '.RE',
    ]),
    '.PP',
    roff(`Exit codes: ${exits.join(', ')}.`),
  ];
}

function topic(name: TopicName, title: string): string[] {
  const { intro, rows = () => [], groups = () => [], outro } = topics[name];
  return [
    `.SH ${title}`,
    roff(intro),
    ...tagged(rows()),
    ...groups().flatMap((group) => [`.SS ${quoted(group.title)}`, ...tagged(group.rows)]),
    ...(outro === undefined ? [] : ['.PP', ...paragraphs(outro)]),
  ];
}

// As in other builds, so that two builds of the same source can be identical.
const { SOURCE_DATE_EPOCH: epochS } = process.env;
const builtAt = epochS === undefined ? new Date() : new Date(Number(epochS) * 1000);

const page = [
  `.TH BOTCTL 1 ${builtAt.toISOString().slice(0, 10)} ${quoted(`botctl ${version}`)} "botctl manual"`,
  '.SH NAME',
  `botctl \\- ${roff(promise.charAt(0).toLowerCase() + promise.slice(1, -1))}`,
  '.SH SYNOPSIS',
  '.B botctl',
  roff('<command> [options]'),
  '.SH DESCRIPTION',
  roff(`${promise} ${motto}`),
  '.PP',
  roff(
    'Whatever is to be sent is committed to a journal on this machine, with its idempotency key, before the',
  ),
  roff('first byte leaves. A command that was interrupted, or whose reply was lost, is run again as it was.'),
  ...topic('options', 'OPTIONS'),
  '.SH COMMANDS',
  ...commandTree.flatMap(leavesOf).flatMap(({ path, spec }) => section(commandPage(`botctl ${path}`, spec))),
  ...topic('exit-codes', '"EXIT STATUS"'),
  ...topic('reruns', 'RE\\-RUNS'),
  ...topic('environment', 'ENVIRONMENT'),
  '.SH FILES',
  ...tagged([
    { term: '~/.config/botctl/config.json', about: 'the profiles (botctl config path shows where)' },
    { term: '~/.local/share/botctl/journal.db', about: 'the journal (botctl doctor shows where)' },
    { term: '~/.local/share/botctl/sandbox', about: 'the sandbox and its own journal' },
  ]),
];

mkdirSync('dist/man', { recursive: true });
writeFileSync('dist/man/botctl.1', `${page.join('\n')}\n`);
