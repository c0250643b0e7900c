import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { sharedServer } from '../support/postgres/server.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const send = ['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'x', '--once', 'one'];
const run = (words: readonly string[], env: Record<string, string> = {}) =>
  botctl(words, { env: { ...home.env, ...env }, cwd: home.path });
/** The same inside this process. */
const here = (words: readonly string[], env: Record<string, string> = {}) =>
  botctlHere(words, { env: { ...home.env, ...env }, cwd: home.path });

test('an empty BOTCTL_JOURNAL is refused: each runner without the secret would have a journal of its own', async () => {
  // In the sandbox, too: a trial run must show what the real one would do.
  for (const words of [['history'], ['--sandbox', 'history']]) {
    const { code, stdout, stderr } = await here(words, { BOTCTL_JOURNAL: '' });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('BOTCTL_JOURNAL is empty.')]);
  }
});

test.each([
  [
    ['--sandbox', 'journal', 'backup', 'bots:canary@127.0.0.1/ledger'],
    'FILE is not the whole path of a file',
  ],
  [['--sandbox', 'journal', 'backup', 'postgres://127.0.0.1/ledger'], 'FILE is not the whole path of a file'],
  [['journal', 'migrate', '--journal', 'dbname=ledger'], '--journal is not the whole path of a file'],
])('%j is refused', async (words, problem) => {
  const { code, stderr } = await here(words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  expect(stderr).not.toContain('canary');
  expect(readdirSync(home.path).filter((name) => name !== 'data')).toEqual([]);
});

test.each(['./j.db', '../j.db', '~/j.db', '/a=b@c:1/j.db'])('--journal %s is a file', async (text) => {
  const cwd = join(home.path, 'work');
  mkdirSync(cwd);
  const path = text.startsWith('/') ? join(home.path, text) : text;
  const { code, stderr } = await botctlHere([...send, `--journal=${path}`], { env: home.env, cwd });
  expect([code, stderr]).toEqual([0, expect.stringContaining('is a new journal')]);
  const file = { './j.db': 'work/j.db', '../j.db': 'j.db', '~/j.db': 'j.db' }[text] ?? text;
  expect(existsSync(join(home.path, file))).toBe(true);
});

describe('a new journal', () => {
  const path = () => join(home.path, 'new.db');
  const told = () =>
    `warning: ${path()} is a new journal, so botctl cannot tell what was sent before. If you expected an earlier one, check this path.\n`;

  test('that an option names is told once, whatever the face', async () => {
    for (const face of [[], ['--quiet'], ['--json']]) {
      const words = [...send, ...face, '--journal', path()];
      expect((await here(words)).stderr).toContain(told());
      expect((await here(words)).stderr).not.toContain('new journal');
      for (const end of ['', '.note', '-wal', '-shm']) rmSync(`${path()}${end}`, { force: true });
      rmSync(`${path()}.owners`, { recursive: true, force: true });
    }
  });

  test('that the environment names is told', async () => {
    const hello = ['send', '--content', 'x', '--conversation', 'c'];
    const env = { BOTCTL_JOURNAL: path(), BOTCTL_TOKEN: 'tok_canary', BOTCTL_BASE_URL: 'http://127.0.0.1:9' };
    expect((await here([...hello, '--max-wait', '0s'], env)).stderr).toContain(told());
  });

  test('that nobody named, or that was only looked for, is not', async () => {
    expect((await here(send)).stderr).not.toContain('new journal');
    expect((await here(['history', '--journal', path()])).stderr).not.toContain('new journal');
    expect(existsSync(path())).toBe(false);
  });
});

test('a password file that others can read is not used, and that is said', async () => {
  const path = join(home.path, '.pgpass');
  writeFileSync(path, '*:*:*:*:canary\n', { mode: 0o644 });
  const { url } = await sharedServer();
  const { code, stderr } = await run(['history'], { BOTCTL_JOURNAL: url.replace(/:[^:@]+@/u, '@') });
  expect([code, stderr]).toEqual([2, expect.stringContaining('asks for a password')]);
  expect(stderr).toContain(`warning: The password file "${path}" has group or world access`);
});
