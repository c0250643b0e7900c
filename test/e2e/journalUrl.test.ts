import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { botctl } from '../../testing/botctl.ts';
import { Home } from '../../testing/home.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const send = ['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'x', '--once', 'one'];
const run = (words: readonly string[], env: Record<string, string> = {}) =>
  botctl(words, { env: { ...home.env, ...env }, cwd: home.path });

test.each([
  ['postgres://bots:canary@127.0.0.1/ledger', 'holds a password'],
  ['postgres:bots@127.0.0.1/ledger', 'not a postgres:// one'],
  ['mysql://127.0.0.1/ledger', 'not a postgres:// one'],
  ['bots:canary@127.0.0.1:5432/ledger', 'looks like a server'],
  ['db.example.com:5432/ledger', 'looks like a server'],
])('--journal %s is refused, and no file gets its name', async (url, problem) => {
  const { code, stdout, stderr } = await run([...send, '--journal', url]);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(problem)]);
  expect(stderr).not.toContain('canary');
  expect(readdirSync(home.path).filter((name) => name !== '.cache')).toEqual(['data']);
});

test('PGSERVICE is nobody’s business where the journal is a file', async () => {
  expect((await run(send, { PGSERVICE: 'books', PGPORT: 'none' })).code).toBe(0);
  const shared = await run([...send, '--journal', 'postgres://127.0.0.1:9/ledger'], { PGSERVICE: 'books' });
  expect([shared.code, shared.stderr]).toEqual([2, expect.stringContaining('PGSERVICE is set')]);
});

test('a password file that others can read is not used, and that is said', async () => {
  const path = join(home.path, '.pgpass');
  writeFileSync(path, '*:*:*:*:canary\n', { mode: 0o644 });
  const { code, stderr } = await run(['history'], { BOTCTL_JOURNAL: 'postgres://127.0.0.1:9/ledger' });
  expect(code).not.toBe(0);
  expect(stderr).toContain(`The password file ${path} can be read by other users: it was not used.`);
});

test('a Tab waits for no server', async () => {
  const { code, stdout, stderr } = await run(['complete', 'intents'], {
    BOTCTL_JOURNAL: 'postgres://192.0.2.1/ledger',
  });
  expect([code, stdout, stderr]).toEqual([0, '', '']);
});
