// botctl as it is installed with --omit=optional, or where litesvm has no build: no transfers in the sandbox.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { botctl, ended, type Ran } from '../support/botctl.ts';
import { Home } from '../support/home.ts';
import { recipient } from '../support/sandbox.ts';
import { startSandboxProcess } from '../support/sandboxProcess.ts';

const root = resolve(import.meta.dirname, '../..');

let folder: string;
let bin: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-alone-'));
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const needed of ['@photostructure/sqlite', 'node-gyp-build']) {
    const path = join('node_modules', needed);
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  bin = join(folder, 'bin/botctl.js');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const alone = (...words: string[]): Promise<Ran> => ended(process.execPath, [bin, ...words], home);
const transfer = ['--sandbox', 'transfer', '--to', recipient, '--asset', 'SOL', '--amount', '1'];

const missing =
  /The sandbox’s transfers need the package litesvm-[-a-z0-9]+, which does not load here \(Cannot find module [^)]*\); messages work without it\./u;

async function historyOf(): Promise<string> {
  return (await alone('--sandbox', 'history', '--json')).stdout;
}

test('a transfer is refused at once, with the package named, and nothing is journaled', async () => {
  const { code, stdout, stderr } = await alone(...transfer);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(missing);
  expect(stderr).toContain('Nothing was sent this time.');
  expect(stderr).not.toMatch(/may have/u);
  expect(await historyOf()).toBe('');
  const json = await alone(...transfer, '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    error: { code: 'sandbox-unavailable', message: expect.stringMatching(missing), retry: 'after-fix' },
  });
});

test('what was done before is told, and what is unknown stays unknown', async () => {
  expect(await botctl([...transfer, '--once', 'done'], home)).toMatchObject({ code: 0 });
  expect(await alone(...transfer, '--once', 'done', '--json')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"replayed":true'),
  });
  const sandbox = await startSandboxProcess([], home.env);
  await fetch(`${sandbox.greeting.base_url}/control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ faults: [{ kind: 'drop', when: 'before', times: 1 }] }),
  });
  await sandbox.end('SIGTERM');
  const lost = [...transfer, '--once', 'lost', '--repeat'];
  expect(await botctl([...lost, '--max-wait', '0s'], home)).toMatchObject({ code: 9 });
  const again = await alone(...lost, '--json');
  expect(again.code).toBe(9);
  expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'unknown', error: { retry: 'same-command' } });
  const resumed = await alone('--sandbox', 'resume', '--all');
  expect(resumed).toMatchObject({
    code: 9,
    stderr: expect.stringMatching(/may have been made by an earlier request/u),
  });
  expect(await botctl(lost, home)).toMatchObject({ code: 0 });
});
