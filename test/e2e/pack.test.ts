import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

test('the package holds what runs, its licence and its README, and nothing else', () => {
  const root = resolve(import.meta.dirname, '../..');
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const output = execFileSync('npm', words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const parsed: unknown = JSON.parse(output);
  // npm 11 gives an object by name where older ones give a list.
  const [packed] = Object.values(parsed as Record<string, { files: { path: string }[] }>);
  const paths = packed?.files.map(({ path }) => path) ?? [];
  expect(paths).toEqual(expect.arrayContaining(['bin/botctl.js', 'dist/main.js', 'package.json', 'LICENSE']));
  expect(paths.filter((path) => !/^(bin|dist)\/|^(package\.json|LICENSE|README\.md)$/u.test(path))).toEqual(
    [],
  );
});

test('npm links the man page: a list of them is all it looks at', () => {
  const { man }: { man?: unknown } = JSON.parse(
    readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'),
  );
  expect(man).toEqual(['dist/man/botctl.1']);
});
