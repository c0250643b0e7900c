import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandSpec } from '../../../src/cli/parse/command.ts';
import { globalOptions } from '../../../src/cli/parse/help.ts';
import { commandTree } from '../../../src/tree.ts';

const commands = resolve(import.meta.dirname, '../../../src/cli/commands');
const everywhere = globalOptions.map(nameOf);

function nameOf({ flags }: { readonly flags: string }): string {
  return /--(?:no-)?([a-z-]+)/u.exec(flags)?.[1] ?? flags;
}

function namesOf(spec: CommandSpec): string[] {
  return 'children' in spec ? spec.children.flatMap(namesOf) : (spec.options ?? []).map(nameOf);
}

/** What stands beside the commands may serve any of them. */
function specsOf(folder: string): readonly CommandSpec[] {
  if (folder === '.') return commandTree;
  const text = readFileSync(join(commands, folder, 'spec.ts'), 'utf8');
  return commandTree.filter(({ name }) => text.includes(`name: '${name}'`));
}

/** The options that the code of one file asks for by name. */
function asked(file: string): string[] {
  const calls = readFileSync(join(commands, file), 'utf8').matchAll(
    /\bgiven\.(?:flag|text|all)\(\s*'([a-z-]+)'/gu,
  );
  return [...calls].map(([, name = '']) => name);
}

// The type of an option's name cannot be checked by the compiler without a circle between a command and its spec.
test('code asks for options that its command has', () => {
  const files = readdirSync(commands, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const missing = files.flatMap((file) => {
    const specs = specsOf(dirname(file));
    const declared = new Set([...everywhere, ...specs.flatMap(namesOf)]);
    return asked(file)
      .filter((name) => !declared.has(name))
      .map((name) => `${file}: --${name}`);
  });
  expect(missing).toEqual([]);
  expect(files.flatMap(asked).length).toBeGreaterThan(50);
});
