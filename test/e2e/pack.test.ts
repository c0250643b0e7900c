import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkTargets } from '../../scripts/pages.ts';
import { commandTree } from '../../src/commands.ts';
import { ended, type Ran } from '../support/botctl.ts';
import { Home } from '../support/home.ts';
import { hasTool } from '../support/tools.ts';

const root = resolve(import.meta.dirname, '../..');

let folder: string;
let home: Home;
let file: string;
let paths: string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-pack-'));
  home = new Home();
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const output = execFileSync('npm', words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const parsed: unknown = JSON.parse(output);
  // npm 11 gives an object by name where older ones give a list.
  const [packed] = Object.values(parsed as Record<string, { filename: string; files: { path: string }[] }>);
  paths = packed?.files.map(({ path }) => path) ?? [];
  file = join(folder, packed?.filename ?? '');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  home.remove();
});

/** In a project of its own, as somebody who gets the file. */
function inProject(name: string, program: string, words: readonly string[]): Promise<Ran> {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{ "name": "project", "version": "1.0.0", "private": true }');
  return ended(program, [...words, file], { env: home.env, cwd });
}

/** That what was installed there works, native parts too. */
async function expectItSends(name: string): Promise<void> {
  const installed = join(folder, name, 'node_modules', '.bin', 'botctl');
  const send = ['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'hi', '--once', name];
  expect(await ended(installed, send, { env: home.env })).toMatchObject({ code: 0, stderr: '' });
}

test('the package holds what runs, its licence and its documents, and nothing else', () => {
  expect(paths).toEqual(expect.arrayContaining(['bin/botctl.js', 'dist/main.js', 'package.json', 'LICENSE']));
  const others = paths.filter((path) => !/^(bin|dist|docs)\/|^(package\.json|LICENSE)$/u.test(path));
  expect(others.sort()).toEqual(['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'SKILL.md']);
});

test('every page that the README or a help page names is in the package, and both schemas', () => {
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  const linked = linkTargets(text('README.md')).map((target) => target.replace(/#.*/u, ''));
  const helped = JSON.stringify(commandTree).match(/docs\/[\w-]+\.md/gu) ?? [];
  const schemas = ['docs/botctl-1.schema.json', 'docs/botctl-policy-1.schema.json'];
  expect(helped.length).toBeGreaterThan(2);
  expect(paths).toEqual(expect.arrayContaining([...linked, ...helped, ...schemas]));
});

test('npm installs it, and it works', async () => {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier'];
  const words = ['install', '--omit=optional', ...quiet];
  expect(await inProject('npm', 'npm', words)).toMatchObject({ code: 0 });
  await expectItSends('npm');
});

test.skipIf(!hasTool('pnpm'))('pnpm installs it, and it works', async () => {
  const ran = await inProject('pnpm', 'pnpm', ['add', '--no-optional']);
  expect(ran).toMatchObject({ code: 0 });
  await expectItSends('pnpm');
});

test('an install in its unpacked folder builds nothing', async () => {
  const cwd = join(folder, 'unpacked');
  mkdirSync(cwd);
  execFileSync('tar', ['xzf', file, '-C', cwd, '--strip-components=1']);
  const run = async (...words: string[]): Promise<void> =>
    expect(await ended('npm', words, { env: home.env, cwd })).toMatchObject({ code: 0 });
  await run('install', '--global', '--omit=optional', '--prefix', join(folder, 'global'), '.');
  // What npm runs after an install in the folder itself.
  await run('run', 'postprepare');
  expect(existsSync(join(folder, 'global/bin/botctl'))).toBe(true);
});

test('npm links the man page: a list of them is all it looks at', () => {
  const { man }: { man?: unknown } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(man).toEqual(['dist/man/botctl.1']);
});
