import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blockAfter, tourSteps } from '../../scripts/pages.ts';
import { parseCommandLine } from '../../src/cli/parse/commandLine.ts';
import { commandTree } from '../../src/commands.ts';
import { ended } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { pages, pageText } from '../support/pages.ts';
import { recipient } from '../support/sandbox.ts';

const root = resolve(import.meta.dirname, '../..');
const readme = pageText('README.md');

let home: Home;
let env: Record<string, string>;
beforeEach(() => {
  home = new Home();
  env = { ...home.env, PATH: home.pathWithBotctl() };
  writeFileSync(join(home.path, 'bin/npx'), '#!/bin/sh\nshift; exec botctl "$@"\n', { mode: 0o755 });
});
afterEach(() => home.remove());

test('it begins with what botctl is for, and two commands that do all their set-up', async () => {
  const [, block = ''] = /```console\n([\s\S]*?)```/u.exec(readme) ?? [];
  const [first = '', byName = '', again, second] = block.trimEnd().split('\n');
  expect(readme.indexOf(block)).toBeLessThan(1_200);
  expect(second).toBe('npm ci && npm test');
  expect(first.startsWith('npm ci && npx botctl --sandbox transfer ')).toBe(true);
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toContain(second);
  // The tests run where npm ci has been: the rest of the command is run as it is.
  const ran = await ended('bash', ['-c', first.replace('npm ci && ', '')], { env });
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Transfer accepted') });
  expect(await ended('bash', ['-c', byName], { env })).toMatchObject({ code: 0 });
  expect(again).toBe(byName);
  const replayed = await ended('bash', ['-c', byName], { env });
  expect(replayed).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was sent') });
});

test('the tour does what it says, though another program has the sandbox’s port', async () => {
  const other = createServer();
  const taken = await new Promise<boolean>((done) => {
    other.on('error', () => done(true)).listen(8420, '127.0.0.1', () => done(true));
  });
  expect(taken).toBe(true);
  const lines = tourSteps(pageText('docs/sandbox.md')).map((command) => `echo @@@\n${command}`);
  const ran = await ended('bash', ['-c', lines.join('\n')], { env, cwd: home.path });
  other.close();
  const shown = ran.stdout.split('@@@\n').slice(1);
  const [, made, , , sent, killed, before, again, after, count, removed] = shown;
  expect(shown).toHaveLength(11);
  expect(made).toContain('local (in use)');
  expect(sent).toContain('Message accepted');
  expect(killed).toBe('');
  expect(before).toMatch(/ unknown .*rent-2026-11/u);
  expect(again).toContain('Transfer accepted');
  expect(after).toMatch(/ accepted .*rent-2026-11/u);
  expect(count?.trim()).toBe('1');
  expect(removed).toContain('local');
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
    // The amount is not in the name: a second one is a mistake, and not a second payment.
    expect(await ended('bash', [path, recipient, '0.6', '2026-11'], { env })).toMatchObject({
      code: 6,
      stdout: '',
    });
  });

  test('the batch is done once, and its file is what is shown', async () => {
    const [, shown = '', commands = ''] =
      /^\$ cat payroll.csv\n([\s\S]*?)(\$ botctl[\s\S]*)$/u.exec(
        blockAfter(pageText('docs/batch.md'), 'batch'),
      ) ?? [];
    home.file('payroll.csv', shown);
    const script = commands.replace(/^\$ /gmu, '');
    const first = await ended('bash', ['-ec', script], { env, cwd: home.path });
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 done') });
    const second = await ended('bash', ['-ec', script], { env, cwd: home.path });
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of them earlier') });
    expect(readFileSync(join(home.path, 'payroll-report.csv'), 'utf8')).toContain('ada-11');
  });

  test('the buttons in JSON are those that their options make', async () => {
    const page = pageText('docs/service.md');
    const path = home.file('buttons.json', blockAfter(page, 'buttons'));
    const [, short = ''] = /as `(--button [^`]*)` makes/u.exec(page) ?? [];
    const send = ['--sandbox', 'send', '-c', 'conv_demo', '-m', 'Lunch?', '--dry-run', '--json'];
    const sent = async (words: readonly string[]) =>
      JSON.parse((await botctlHere([...send, ...words], { env: home.env })).stdout).request;
    expect(await sent(['--components', path])).toEqual(await sent(short.split(' ')));
  });

  test('every botctl command in the documents is one', async () => {
    const blocks = pages.flatMap((page) =>
      [...pageText(page).matchAll(/```(?:yaml|console|bash)\n([\s\S]*?)```/gu)].map(([, text = '']) => text),
    );
    const found = blocks.flatMap((text) =>
      [...text.replace(/\\\n\s*/gu, ' ').matchAll(/(?:^\$ |run: |- |\| +|=\$\(|npx )botctl (.*)$/gmu)].map(
        ([, words = '']) => words,
      ),
    );
    expect(found.length).toBeGreaterThan(12);
    for (const line of found) {
      const [own = ''] = line.split(/ [&>|] ?|\) (?:\|\||&&)/u);
      const words = (own.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/gu) ?? []).map((word) =>
        word.replace(/["']/gu, ''),
      );
      expect(parseCommandLine(words, commandTree, 80), line).toHaveProperty('args');
    }
  });

  test('no job names the attempt', () => {
    const blocks = pages.flatMap((page) => [...pageText(page).matchAll(/```yaml\n([\s\S]*?)```/gu)]);
    expect(blocks).toHaveLength(3);
    expect(blocks.map(([, text]) => text).join('')).not.toMatch(/attempt|CI_JOB_ID/iu);
  });
});
