// Writes dist/man/botctl.1 from the command tree and the program's own tables.
import { mkdirSync, writeFileSync } from 'node:fs';
import { topics } from '../src/cli/commands/help/run.ts';
import type { CommandSpec, LeafSpec } from '../src/cli/parse/command.ts';
import {
  commandPage,
  environmentRows,
  globalGroups,
  type HelpPage,
  motto,
  promise,
  type TopicName,
  version,
} from '../src/cli/parse/help.ts';
import { foldCommand } from '../src/cli/show/text.ts';
import { commandTree } from '../src/tree.ts';
import { filled, paragraphs, quoted, roff, tagged, verbatim } from './roff.ts';

/** What only the manual says, by command or topic. */
const more: Readonly<Record<string, string>> = {
  'botctl batch send': sharedRows(),
  'botctl batch transfer': sharedRows(),
  'botctl config add': `Of a variable, a file (--token-file) or a command, the profile keeps only the name; the token stays where it is. A command is split into words at spaces outside quotes. It runs without a shell, and for 30 s at most.

--timeout, --retries and --max-wait are stored in the profile if you give them. botctl tests the token with an empty message, which the service must refuse.`,
  'botctl config set': `The defaults are: timeout 30s, retries until max-wait, max-wait 60s, key-age 30m, repeat-window 20h, cluster mainnet.

key-age says for how long after its first request botctl sends an unknown payment again by itself. After that the payment is held, because the service may have forgotten its key. repeat-window is the default of --repeat-window.

If an rpc-url holds a secret, give it as you give a token: with --token-stdin, --token-env, --token-file or --token-command. assets is JSON: the names of tokens and their mints. If base-url changes its origin, botctl needs the token again.`,
  'botctl journal accept-loss':
    'For a shared journal, it records what this machine misses, and which server the journal is on now.',
  'botctl journal backup':
    'The copy has a .mark file of its own, by which botctl knows that nothing is missing from it.',
  'exit-codes': `Codes 2 to 5, 7, 8 and 130 are only for what cannot have happened.

For several entries, the code is 11 if some are unknown, open, being sent or not begun. Otherwise it is 10 if some are held, and else 2. If a batch stops at 401, 402 or 403, fix that first.`,
  reruns:
    'The server of a shared journal can be restored to an earlier point, or replaced by a standby that lacks the last entries. With a name, the same command still has the same key, and the service pays once. Without one it would be a new payment.',
};

function sharedRows(): string {
  return 'With a shared journal, you can run the same command on several machines. They share the rows, and each row happens once. The file must be the same on all machines. If one of them stops, another takes over its rows. A command that finds no more rows waits for the others, --max-wait at most, and exits 11.';
}

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
    ...moreOn(path),
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

const used = new Set<string>();

function moreOn(name: string): string[] {
  used.add(name);
  const text = more[name];
  return text === undefined ? [] : ['.PP', ...paragraphs(text)];
}

function topic(name: TopicName, title: string): string[] {
  const { intro, rows = () => [], groups = () => [], outro } = topics[name];
  const after = [...(outro === undefined ? [] : ['.PP', ...paragraphs(outro)]), ...moreOn(name)];
  return [
    `.SH ${title}`,
    roff(intro),
    ...tagged(rows()),
    // Behind the groups it would read as a part of the last one.
    ...after,
    ...groups().flatMap((group) => [`.SS ${quoted(group.title)}`, ...tagged(group.rows)]),
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
  ...paragraphs(
    'Before the first byte leaves, botctl commits the message or payment to a journal, with its idempotency key. If a command was interrupted, or its reply was lost, run the same command again.',
  ),
  '.SH OPTIONS',
  roff(
    'Every command takes these options, before or after its name. An option overrides the variable in brackets.',
  ),
  ...globalGroups().flatMap((group) => [`.SS ${quoted(group.title)}`, ...tagged(group.rows)]),
  '.SH COMMANDS',
  ...commandTree.flatMap(leavesOf).flatMap(({ path, spec }) => section(commandPage(`botctl ${path}`, spec))),
  ...topic('exit-codes', '"EXIT STATUS"'),
  ...topic('reruns', 'RE\\-RUNS'),
  ...topic('agents', 'AGENTS'),
  '.SH ENVIRONMENT',
  ...tagged(environmentRows()),
  '.SH FILES',
  ...tagged([
    { term: '~/.config/botctl/config.json', about: 'the profiles (botctl config show prints the path)' },
    { term: '~/.local/share/botctl/journal.db', about: 'the journal (botctl doctor shows where)' },
    { term: '~/.local/share/botctl/sandbox', about: 'the sandbox and its own journal' },
  ]),
];

const unused = Object.keys(more).filter((name) => !used.has(name));
if (unused.length > 0) throw new Error(`no such page: ${unused.join(', ')}`);

mkdirSync('dist/man', { recursive: true });
writeFileSync('dist/man/botctl.1', `${filled(page).join('\n')}\n`);
