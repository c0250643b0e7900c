import { describe, expect, test } from 'vitest';
import {
  type CommandSpec,
  commandGroups,
  globalOptions,
  type LeafSpec,
} from '../../../src/cli/parse/command.ts';
import { buildProgram } from '../../../src/cli/parse/commandLine.ts';
import { helpTopics } from '../../../src/cli/parse/help.ts';
import { exitTable } from '../../../src/once/failures.ts';
import { commandTree } from '../../../src/tree.ts';
import { runMain } from '../../../testing/inProcess.ts';

type Found = { path: string[]; spec: LeafSpec };

function leaves(tree: readonly CommandSpec[], before: string[] = []): Found[] {
  return tree.flatMap((spec) =>
    'children' in spec
      ? leaves(spec.children, [...before, spec.name])
      : [{ path: [...before, spec.name], spec }],
  );
}

const shown = leaves(commandTree).filter(({ spec }) => spec.hidden !== true);

describe.each(shown)('the help of $path', ({ path, spec }) => {
  test('has a purpose, its own options, its examples, and what its exit codes mean', async () => {
    const { code, stdout, stderr } = await runMain([...path, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(spec.examples.length).toBeGreaterThan(0);
    expect(stdout.match(/^ {2}\$ /gmu)).toHaveLength(spec.examples.length);
    for (const { flags, rare } of spec.options ?? [])
      expect(stdout).toContain(rare ? flags.match(/--[a-z-]+/u)?.[0] : `  ${flags}`);
    expect(stdout.match(/botctl help options$/gmu)).toHaveLength(1);
    expect(stdout).not.toMatch(/^ {2}--(?:retries|max-wait) /mu);
    const [, told = ''] = /^Exit codes: (.*)\s\(botctl\s+help\s+exit-codes\)$/msu.exec(stdout) ?? [];
    const codes = told
      .match(/\d+/gu)
      ?.map(Number)
      .sort((one, other) => one - other);
    expect(codes).toEqual(spec.exits);
  });

  test('is what botctl help shows too', async () => {
    const [asked, given] = await Promise.all([runMain(['help', ...path]), runMain([...path, '--help'])]);
    expect(asked.stdout).toBe(given.stdout);
  });

  test.each(spec.examples)('has an example that parses: $line', async ({ line }) => {
    const [, words] = /(?:^|[\s(])botctl (.*)$/su.exec(line.replace(/ \\\n\s*/gu, ' ')) ?? [];
    const chosen: string[] = [];
    const program = buildProgram(commandTree, ({ given }) => chosen.push(given.command));
    await program.parseAsync(shellWords(words ?? ''), { from: 'user' });
    expect(chosen).toHaveLength(1);
  });
});

/** The words of the first command of a line, without their quotes. */
function shellWords(line: string): string[] {
  const [first = ''] = line.split(/ \| | > |\)/u);
  return (first.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/gu) ?? []).map((word) => word.replace(/["']/gu, ''));
}

const branches = commandTree.filter((spec) => 'children' in spec).map(({ name }) => [name]);
const allPages = [[], ...helpTopics.map(({ name }) => [name]), ...branches, ...shown.map(({ path }) => path)];

test.each(allPages.map((words) => ({ words })))(
  'help $words fits 40 lines of 80 columns',
  async ({ words }) => {
    const { stdout } = await runMain(['help', ...words], { columns: 80 });
    const lines = stdout.trimEnd().split('\n');
    const most = words[0] === 'exit-codes' || words[0] === 'reruns' ? 23 : 40;
    expect(lines.length).toBeLessThanOrEqual(most);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  },
);

test('the main help has every command, in groups', async () => {
  const { stdout } = await runMain([]);
  for (const title of commandGroups) expect(stdout).toContain(`\n${title}:\n`);
  for (const { name, hidden } of commandTree)
    expect(new RegExp(`^ {2}${name} `, 'mu').test(stdout), name).toBe(hidden !== true && name !== 'help');
});

test.each([[[]], [['batch']], [['config']], [['journal']]])(
  '%j alone is its help, and exits 0',
  async (line) => {
    const [alone, asked] = await Promise.all([runMain(line), runMain([...line, '--help'])]);
    expect(alone).toEqual(asked);
    expect(alone).toMatchObject({ code: 0, stderr: '' });
    expect(alone.stdout).toMatch(/^Usage: botctl/u);
  },
);

test('asked for alone it is what it is beside another option', async () => {
  const beside = await runMain(['--help', '--no-color']);
  expect(beside.stdout).toMatch(/^Usage: botctl/u);
  for (const word of ['--help', '-h']) expect((await runMain([word])).stdout).toBe(beside.stdout);
});

test('asked for before a command’s name it is of that command', async () => {
  expect(await runMain(['--help', 'send'])).toEqual(await runMain(['send', '--help']));
  expect(await runMain(['batch', '-h', 'send'])).toEqual(await runMain(['batch', 'send', '-h']));
});

describe('the topics', () => {
  test('options has every option that all commands take, in 80 columns', async () => {
    const { stdout } = await runMain(['help', 'options']);
    for (const { flags, group } of globalOptions) {
      expect(stdout).toContain(`  ${flags}`);
      expect(stdout).toContain(`\n${group}:\n`);
    }
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('are all named in the help of the program', async () => {
    const { stdout } = await runMain([]);
    for (const { name } of helpTopics) expect(stdout).toContain(`botctl help ${name}`);
  });

  test('exit-codes has every row of the table', async () => {
    const { stdout } = await runMain(['help', 'exit-codes']);
    for (const { exit } of exitTable) expect(stdout).toMatch(new RegExp(`^ +${exit}  \\S`, 'mu'));
  });

  test('environment has every variable of the options and more', async () => {
    const { stdout } = await runMain(['help', 'environment']);
    expect(stdout).toContain('as --profile: ');
    for (const name of ['PROFILE', 'BASE_URL', 'JOURNAL', 'TOKEN', 'RUN'])
      expect(stdout).toContain(`BOTCTL_${name}`);
  });

  test.each([
    [['exit-code'], 'botctl help exit-codes'],
    [['trasnfer'], 'botctl help transfer'],
    [['config', 'lst'], 'botctl help config list'],
    [['quite-else'], 'The help lists its topics:\n          botctl help\n'],
  ])('help %j is answered with what was meant', async (words, hint) => {
    const { code, stderr } = await runMain(['help', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });
});

test('in a narrow terminal the usage is broken, and what was set in columns stands in lines', async () => {
  const narrow = async (...words: string[]) =>
    (await runMain(['help', ...words], { columns: 40 })).stdout.split('\n');
  expect(await narrow('journal', 'accept-durability')).toContain('       accept-durability [options]');
  const variables = await narrow('environment');
  expect(variables.filter((line) => line.length > 40)).toEqual([]);
  expect(variables).toContain('  BOTCTL_PROFILE');
  expect(variables).toContain('      as --profile: use this profile');
});

test('in a narrow terminal terms stand above their texts', async () => {
  const { stdout } = await runMain(['help', 'send'], { columns: 40 });
  const wide = stdout.split('\n').filter((line) => line.length > 40 && !line.includes('--button label='));
  expect(wide).toEqual([]);
});
