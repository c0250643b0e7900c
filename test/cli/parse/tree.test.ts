import { describe, expect, test } from 'vitest';
import type { App } from '../../../src/cli/app.ts';
import { commandWords } from '../../../src/cli/bot/tokenInput.ts';
import { Args, options } from '../../../src/cli/parse/args.ts';
import { type CommandSpec, command, type LeafSpec, leaf } from '../../../src/cli/parse/command.ts';
import {
  buildProgram,
  type Chosen,
  parseCommandLine,
  type StrictCommand,
} from '../../../src/cli/parse/commandLine.ts';
import { commandTree } from '../../../src/commands.ts';

type Leaf = { path: string; spec: LeafSpec };

function leaves(tree: readonly CommandSpec[], above: readonly string[] = []): Leaf[] {
  return tree.flatMap((spec) => {
    const path = [...above, spec.name];
    return 'children' in spec ? leaves(spec.children, path) : [{ path: path.join(' '), spec }];
  });
}

/** What the program would run for a line of an example. */
function chosenBy(line: string): Chosen | undefined {
  const [, words = ''] =
    /(?:^|[\s(])botctl ((?:'[^']*'|"[^"]*"|[^|)>'"])*)/u.exec(line.replaceAll('\\\n', ' ')) ?? [];
  const chosen = parseCommandLine(commandWords(words), commandTree, 80);
  return typeof chosen === 'string' ? undefined : chosen;
}

describe.each(leaves(commandTree))('$path', ({ spec }) => {
  test('has an example, and each is a line that botctl takes', () => {
    expect(spec.examples.length).toBeGreaterThan(0);
    for (const { line } of spec.examples) expect(chosenBy(line), line).toBeDefined();
  });
});

// No line names both commands that have it: an address for `config add`, a flag of `verify`.
const isBoth = '--wallet';

test('an option takes a value everywhere or nowhere', () => {
  const kinds = new Map<string, Set<boolean>>();
  const visit = (command: StrictCommand): void => {
    for (const { long, short, required } of command.options) {
      for (const word of [long, short]) {
        if (word) kinds.set(word, (kinds.get(word) ?? new Set()).add(required));
      }
    }
    for (const child of command.commands) visit(child as StrictCommand);
  };
  visit(buildProgram(commandTree, () => {}, {}));
  expect([...kinds].flatMap(([word, found]) => (found.size > 1 ? [word] : []))).toEqual([isBoth]);
});

describe('a command asks for its own options only', () => {
  const pay = command({
    does: 'sends',
    about: 'pays',
    options: options(['--memo <text>  a note', ['-t, --to <address>  to whom', { completes: 'profiles' }]]),
    examples: {},
  });

  test('or it does not compile', () => {
    const { name } = leaf(
      'pay',
      pay,
      async () =>
        async ({ args }) =>
          args.flag('json') || args.flag('to') ? 0 : 1,
    );
    expect(name).toBe('pay');
    const misspelt = async ({ args }: App<Args<'meno'>>): Promise<0 | 1> => (args.flag('meno') ? 0 : 1);
    // @ts-expect-error: it is called --memo
    leaf('pay', pay, async () => misspelt);
    const reads = async ({ args }: App<Args<'reason'>>): Promise<0 | 1> => (args.flag('reason') ? 0 : 1);
    // @ts-expect-error: what it calls needs --reason
    leaf('pay', pay, async () => reads);
  });

  test('or, where one function serves several, after asking whether it has them', () => {
    const given: Args = new Args('pay', [], [{ name: 'memo', value: 'x' }], new Set(['memo']));
    expect(given.takes('memo') && given.text('memo')).toBe('x');
    expect(given.takes('reason') && given.text('reason')).toBe(false);
  });
});
