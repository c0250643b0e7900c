import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/cli/nearest.ts';
import type { CommandSpec, LeafSpec } from '../../src/cli/spec.ts';
import { foldCommand, wrapText } from '../../src/cli/wrap.ts';
import { commandTree } from '../../src/commands/tree.ts';
import { rerunTable } from '../../src/engine/rerun.ts';
import { exitTable } from '../../src/errors.ts';
import { buildProgram } from '../../src/program.ts';
import { runMain } from '../helpers/inProcess.ts';

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
  test('has a purpose, three examples, its exit codes, and fits 80 columns', async () => {
    const { code, stdout, stderr } = await runMain([...path, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(spec.examples).toHaveLength(3);
    expect(stdout.match(/^ {2}\$ /gmu)).toHaveLength(3);
    for (const row of exitTable) {
      const listed = new RegExp(`^ +${row.exit}  \\S`, 'mu').test(stdout);
      expect(listed, `exit ${row.exit}`).toBe(spec.exits.some((exit) => exit === row.exit));
    }
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
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

test('asked for alone it is what it is beside another option', async () => {
  const beside = await runMain(['--help', '--no-color']);
  expect(beside.stdout).toMatch(/^Usage: botctl/u);
  for (const word of ['--help', '-h']) expect((await runMain([word])).stdout).toBe(beside.stdout);
});

describe('the topics', () => {
  test('exit-codes has every row of the table', async () => {
    const { stdout } = await runMain(['help', 'exit-codes']);
    for (const { exit } of exitTable) expect(stdout).toMatch(new RegExp(`^ +${exit}  \\S`, 'mu'));
  });

  test('reruns has every row of the table', async () => {
    const { stdout } = await runMain(['help', 'reruns']);
    const text = stdout.replace(/\s+/gu, ' ');
    for (const { found } of rerunTable) expect(text).toContain(found);
  });

  test('environment has every variable of the options and more', async () => {
    const { stdout } = await runMain(['help', 'environment']);
    for (const name of ['PROFILE', 'BASE_URL', 'JOURNAL', 'TOKEN', 'RUN'])
      expect(stdout).toContain(`BOTCTL_${name}`);
  });

  test.each([
    [['exit-code'], 'botctl help exit-codes'],
    [['trasnfer'], 'botctl help transfer'],
    [['config', 'lst'], 'botctl help config list'],
    [['quite-else'], 'botctl help lists'],
  ])('help %j is answered with what was meant', async (words, hint) => {
    const { code, stderr } = await runMain(['help', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });
});

test.each([
  ['transfr', 'transfer'],
  ['sned', 'send'],
  ['xyz', undefined],
])('nearest to %s is %s', (word, meant) => {
  expect(nearest(word, ['send', 'transfer', 'history'])).toBe(meant);
});

test('a folded command is the same command', () => {
  const line = 'botctl send --once "a  b" --content \'x | y\' | jq -r .message.id';
  const folded = foldCommand(line, 30);
  expect(folded.length).toBeGreaterThan(2);
  expect(folded.join('\n').replace(/ \\\n\s*/gu, ' ')).toBe(line);
});

test('text is set anew, but for lines that begin with a blank', () => {
  expect(wrapText('one two\nthree\n\n  kept  as\nfour', 9)).toEqual([
    'one two',
    'three',
    '',
    '  kept  as',
    'four',
  ]);
});

test('in a narrow terminal terms stand above their texts', async () => {
  const { stdout } = await runMain(['help', 'send'], { columns: 40 });
  const wide = stdout.split('\n').filter((line) => line.length > 40 && !line.includes('--button label='));
  expect(wide).toEqual([]);
});
