import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { losesCommits } from '../../src/once/journal/file/upkeep.ts';
import { ended } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { programInShell } from '../support/program.ts';

type Check = { check: string; level: string; says: string; todo?: string };

let home: Home;
const servers: Server[] = [];
beforeEach(() => {
  home = new Home();
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  home.remove();
});

const token = 'canary_7f3b_token';

async function doctor(
  words: string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; checks: Record<string, Check>; all: string }> {
  const { code, stdout, stderr } = await botctlHere(['doctor', '--json', ...words], {
    env: { ...home.env, ...env },
  });
  const { checks, in_order } = JSON.parse(stdout) as { checks: Check[]; in_order: boolean };
  expect(in_order).toBe(code === 0);
  for (const { level, todo } of checks) expect(todo === undefined).toBe(level === 'ok');
  return { code, checks: Object.fromEntries(checks.map((one) => [one.check, one])), all: stdout + stderr };
}

/** A service that notes what comes, and answers once. */
async function listen(answer: string): Promise<{ url: string; heard: () => string }> {
  let heard = '';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      heard += String(chunk);
      if (answer === '') socket.destroy();
      else socket.end(answer);
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, heard: () => heard };
}

test('tries the token with one empty message, and reads the clock from its answer', async () => {
  const theirs = new Date(Date.now() - 120_000).toUTCString();
  const { url, heard } = await listen(`HTTP/1.1 405 No\r\nDate: ${theirs}\r\nConnection: close\r\n\r\n`);
  const { code, checks, all } = await doctor(['--base-url', url], { BOTCTL_TOKEN: token });
  expect(code).toBe(0);
  expect(heard()).toMatch(/^POST \/api\/bot\/v1\/messages\/send HTTP\/1\.1\r\n.*\r\n\r\n\{\}$/su);
  expect(checks.address).toMatchObject({ level: 'ok' });
  expect(checks.token).toMatchObject({ level: 'warn', says: expect.stringContaining('(405)') });
  expect(checks.clock).toMatchObject({ level: 'warn', says: expect.stringMatching(/1(19|2\d) s ahead of/u) });
  expect(all).not.toContain(token);
});

test.each([
  ['401 No', 1, 'fail', 'the service refuses it (401)'],
  ['403 No', 0, 'warn', 'it may not send messages (403)'],
  ['400 No', 0, 'ok', 'the service accepts it'],
])('a service that answers the token with %s: exit %i', async (status, exit, level, says) => {
  const { url } = await listen(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  const { code, checks } = await doctor(['--base-url', url], { BOTCTL_TOKEN: token });
  expect(code).toBe(exit);
  expect(checks.token).toMatchObject({ level, says: `from the variable BOTCTL_TOKEN; ${says}` });
});

test('a service that only connects gives no reply, which is said once', async () => {
  const { url } = await listen('');
  const { code, checks } = await doctor(['--base-url', url], { BOTCTL_TOKEN: token });
  expect(code).toBe(1);
  expect(checks.address).toMatchObject({ level: 'fail', says: expect.stringContaining('gave no reply') });
  expect([checks.token, checks.clock]).toEqual([undefined, undefined]);
});

test('a base URL that ends in the path of the service’s document is named as that, and nothing is asked', async () => {
  const { url, heard } = await listen('HTTP/1.1 200 OK\r\n\r\n');
  const { code, checks } = await doctor(['--base-url', `${url}/api/bot/v1`], { BOTCTL_TOKEN: token });
  expect(code).toBe(1);
  expect(checks.address).toMatchObject({
    level: 'fail',
    says: `${url}/api/bot/v1 ends with a path that botctl adds itself.`,
    todo: `Give it without that: ${url}`,
  });
  expect(heard()).not.toContain('POST');
  const added = await botctlHere(
    ['config', 'add', 'prod', '--base-url', `${url}/api/bot/v1/`, '--token-env', 'NOT_SET'],
    { env: home.env },
  );
  expect(added.code).toBe(0);
});

test('it says which SQLite writes the journal: one that loses no commit when two processes share its log', async () => {
  const { checks } = await doctor([]);
  expect(checks.sqlite).toMatchObject({
    level: 'ok',
    says: expect.stringMatching(/^SQLite \d+\.\d+\.\d+$/u),
  });
  const shared = await doctor(['--journal', 'postgres://nobody@127.0.0.1:9/none']);
  expect(shared.checks.sqlite).toBeUndefined();
});

test.each([
  ['3.9.2', true],
  ['3.50.4', true],
  ['3.51.2', true],
  ['3.51.3', false],
  ['3.53.0', false],
  ['3.100.0', false],
  ['4.0.0', false],
])('SQLite %s can lose a commit: %s', (version, loses) => {
  expect(losesCommits(version)).toBe(loses);
});

test('nobody at the address, a proxy that is not there, and unchecked certificates fail', async () => {
  const gone = await doctor(['--base-url', 'https://127.0.0.1:9'], { BOTCTL_TOKEN: token });
  expect(gone.checks.address).toMatchObject({ level: 'fail', says: expect.stringContaining('ECONNREFUSED') });
  const away = { BOTCTL_TOKEN: token, BOTCTL_BASE_URL: 'https://bots.example.com' };
  const proxied = await doctor([], { ...away, HTTPS_PROXY: 'http://user:secret@127.0.0.1:9' });
  expect(proxied.checks.address).toMatchObject({ level: 'fail', says: expect.stringContaining('proxy') });
  expect(proxied.all).not.toContain('secret');
  const unchecked = await doctor([], { ...away, NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  expect(unchecked.checks.address).toMatchObject({
    level: 'fail',
    says: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED'),
  });
});

test.each([
  ['a rule', 'DROP TRIGGER insert_on_attempts_keeps'],
  [
    'a rule that is there in another form',
    'DROP TRIGGER update_on_decisions_keeps; CREATE TRIGGER update_on_decisions_keeps BEFORE UPDATE ON decisions BEGIN SELECT 1; END',
  ],
  ['a table', 'DROP TABLE observations'],
  ['a column', 'ALTER TABLE losses DROP COLUMN detail'],
  ['an index', 'DROP INDEX entries_recipient'],
])('%s that somebody took out of the journal is noticed, and nothing is sent', async (_what, sql) => {
  const named = 'was changed by hand';
  const path = join(home.path, 'journal.db');
  const to = ['--sandbox', '--json', '--journal', path];
  const send = (name: string) =>
    botctlHere(['send', '-c', 'conv_demo', '-m', 'hi', '--once', name, ...to], { env: home.env });
  expect((await send('one')).code).toBe(0);
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  const refused = await send('two');
  expect([refused.code, JSON.parse(refused.stdout).error]).toEqual([
    1,
    expect.objectContaining({
      code: 'journal-schema',
      retry: 'after-fix',
      message: expect.stringContaining(named),
    }),
  ]);
  expect(refused.stdout).toContain('Nothing was sent this time.');
  const history = await botctlHere(['history', '--sandbox', '--journal', path], { env: home.env });
  expect([history.code, history.stdout]).toEqual([0, expect.stringContaining('conv_demo')]);
  const { code, checks } = await doctor(['--sandbox', '--journal', path]);
  expect([code, checks.journal]).toEqual([
    1,
    expect.objectContaining({ says: expect.stringContaining(named) }),
  ]);
});

test.for([
  ['is full', '', 'the disk is full', 'Free some space'],
  ['is read-only', ',ro', 'the file system is read-only', 'Fix that'],
] as const)('a disk that %s fails, before there is a journal and with one', async (disk, { skip }) => {
  const [, options, says, todo] = disk;
  const folder = join(home.path, 'disk');
  mkdirSync(folder);
  const mount = `mount -t tmpfs -o size=1m tmpfs '${folder}'`;
  const spoil = `head -c 2m /dev/zero > '${folder}/x'; mount -o 'remount${options}' '${folder}'`;
  const send = `${programInShell} send --sandbox -c conv_demo -m a --once a --journal '${folder}/j.db' >/dev/null`;
  const look = `${programInShell} doctor --sandbox --json --journal '${folder}/j.db'`;
  for (const drive of [`${mount}; ${spoil}; ${look}`, `${mount}; ${send}; ${spoil}; ${look}`]) {
    const { code, stdout, stderr } = await ended('unshare', ['-m', 'sh', '-c', drive], { env: home.env });
    if (/unshare|mount:|not found|permitted/u.test(stderr)) return skip('nothing can be mounted here');
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    const journal = checks.filter(({ check }) => check === 'journal');
    expect([code, journal]).toEqual([1, [expect.objectContaining({ level: 'fail' })]]);
    expect(journal[0]).toMatchObject({
      says: expect.stringContaining(says),
      todo: expect.stringContaining(todo),
    });
  }
});
