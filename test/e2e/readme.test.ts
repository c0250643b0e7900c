import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blockAfter, tourSteps, withTables } from '../../scripts/readme.ts';
import { commandTree } from '../../src/commands/tree.ts';
import { buildProgram } from '../../src/program.ts';
import { botctlPath, ended } from '../helpers/botctl.ts';
import { Home } from '../helpers/home.ts';
import { recipient } from '../helpers/sandbox.ts';

const root = resolve(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

let home: Home;
let env: Record<string, string>;
beforeEach(() => {
  home = new Home();
  const bin = join(home.path, 'bin');
  mkdirSync(bin);
  for (const name of ['botctl', 'npx']) {
    const words = name === 'npx' ? 'shift; ' : '';
    writeFileSync(join(bin, name), `#!/bin/sh\n${words}exec '${process.execPath}' '${botctlPath}' "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  env = { ...home.env, PATH: `${bin}:${home.env.PATH}` };
});
afterEach(() => home.remove());

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

test('it begins with what botctl is for, and two commands that do all their set-up', async () => {
  const [, block = ''] = /```console\n([\s\S]*?)```/u.exec(readme) ?? [];
  const [first = '', second] = block.trimEnd().split('\n');
  expect(readme.indexOf(block)).toBeLessThan(1_200);
  expect(second).toBe('npm ci && npm test');
  expect(first.startsWith('npm ci && npx botctl --sandbox transfer ')).toBe(true);
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toContain(second);
  // The tests run where npm ci has been: the rest of the command is run as it is.
  const ran = await ended('bash', ['-c', first.replace('npm ci && ', '')], { env });
  expect(ran.stdout).toContain('Transfer made');
  expect(ran.code).toBe(0);
});

test('the tour does what it says', async () => {
  const port = String(await freePort());
  const lines = tourSteps(readme).map(({ command }) => `echo @@@\n${command.replaceAll('8190', port)}`);
  const ran = await ended('bash', ['-c', lines.join('\n')], { env, cwd: home.path });
  const shown = ran.stdout.split('@@@\n').slice(1);
  const [, , , sent, paid, , killed, before, again, after, count] = shown;
  expect(shown).toHaveLength(12);
  expect(sent).toContain('Message sent');
  expect(paid).toContain('Transfer made');
  expect(killed).toBe('');
  expect(before).toMatch(/ unknown .*rent-2026-11/u);
  expect(again).toContain('Transfer made');
  expect(after).toMatch(/ accepted .*rent-2026-11/u);
  expect(count?.trim()).toBe('1');
});

test('the picture of the tour shows its commands, light and dark', () => {
  const pictured = tourSteps(readme).filter((step) => step.pictured);
  for (const theme of ['light', 'dark']) {
    const picture = readFileSync(join(root, `docs/tour-${theme}.svg`), 'utf8');
    const text = picture.replace(/<[^>]*>/gu, '').replaceAll('&amp;', '&');
    for (const { command } of pictured)
      for (const line of command.split('\n')) expect(text).toContain(line.trim());
    expect(readme).toContain(`docs/tour-${theme}.svg`);
  }
});

describe('the recipes', () => {
  test('the shell script pays once, however often it runs', async () => {
    const script = blockAfter(readme, 'recipe').replace('botctl transfer', 'botctl --sandbox transfer');
    const path = join(home.path, 'payday.sh');
    writeFileSync(path, script);
    const pay = () => ended('bash', [path, recipient, '0.5', '2026-11'], { env });
    const [first, second] = [await pay(), await pay()];
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^paid: \w{80,90}\n$/u) });
    expect(second).toMatchObject({ code: 0, stdout: first.stdout });
    const other = await ended('bash', [path, recipient, '0.6', '2026-11'], { env });
    expect(other).toMatchObject({ code: 6, stdout: '' });
  });

  test('the batch is done once, and its file is what is shown', async () => {
    const [, shown = '', commands = ''] =
      /^\$ cat payroll.csv\n([\s\S]*?)(\$ botctl[\s\S]*)$/u.exec(blockAfter(readme, 'batch')) ?? [];
    writeFileSync(join(home.path, 'payroll.csv'), shown);
    const script = commands.replace(/^\$ /gmu, '');
    const first = await ended('bash', ['-ec', script], { env, cwd: home.path });
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 rows done') });
    const second = await ended('bash', ['-ec', script], { env, cwd: home.path });
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of them before') });
    expect(readFileSync(join(home.path, 'payroll-report.csv'), 'utf8')).toContain('ada-11');
  });

  test('every botctl command in the README is one', async () => {
    const blocks = [...readme.matchAll(/```(?:yaml|console|bash)\n([\s\S]*?)```/gu)].map(
      ([, text = '']) => text,
    );
    const found = blocks.flatMap((text) =>
      [...text.replace(/\\\n\s*/gu, ' ').matchAll(/(?:^\$ |run: |- |\| +|=\$\(|npx )botctl (.*)$/gmu)].map(
        ([, words = '']) => words,
      ),
    );
    expect(found.length).toBeGreaterThan(8);
    for (const line of found) {
      const [own = ''] = line.split(/ [&>|] ?|\) \|\|/u);
      const words = (own.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/gu) ?? []).map((word) =>
        word.replace(/["']/gu, ''),
      );
      const chosen: string[] = [];
      const program = buildProgram(commandTree, ({ given }) => chosen.push(given.command));
      await program.parseAsync(words, { from: 'user' });
      expect(chosen, line).toHaveLength(1);
    }
  });

  test('none names the attempt', () => {
    const blocks = [...readme.matchAll(/```yaml\n([\s\S]*?)```/gu)].map(([, text]) => text);
    expect(blocks).toHaveLength(2);
    expect(blocks.join('')).not.toMatch(/attempt|CI_JOB_ID/iu);
  });
});

test('its tables are the program’s own (npm run docs makes them)', () => {
  expect(withTables(readme)).toBe(readme);
});

test('every link leads somewhere', () => {
  const headings = [...readme.matchAll(/^#+ (.*)$/gmu)].map(([, text = '']) =>
    text.toLowerCase().replaceAll(' ', '-'),
  );
  for (const [, target = ''] of readme.matchAll(/\]\(([^)]+)\)/gu)) {
    if (target.startsWith('#')) expect(headings).toContain(target.slice(1));
    else expect(() => readFileSync(join(root, target))).not.toThrow();
  }
});
