import type { ChildProcess } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ran, started } from '../support/botctl.ts';
import { catchesSignals, readsStdin } from '../support/catches.ts';
import { Home } from '../support/home.ts';
import { done, newPath, nowMs, opened } from '../support/journals.ts';
import { nodeBeside } from '../support/nodeBeside.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
  home.writeConfig({
    version: 1,
    profiles: { prod: { 'base-url': 'https://x.example.com', token: { kind: 'env', variable: 'T' } } },
  });
});
afterEach(() => home.remove());

/** Starts the built program with an input that stays open, sends the signal, and says how it ended. */
async function interrupted(
  line: readonly string[],
  signal: NodeJS.Signals,
  isWaiting: (child: ChildProcess) => Promise<void> = async () => {},
): Promise<Ran> {
  const { child, ended } = started(line, home.env, 'pipe');
  await catchesSignals(child);
  await isWaiting(child);
  expect(child.exitCode).toBeNull();
  child.kill(signal);
  return ended;
}

describe('a signal while botctl waits', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s for a token on stdin ends it with 130',
    async (signal) => {
      const line = ['config', 'add', 'x', '--base-url', 'https://x.example.com', '--token-stdin', '--json'];
      const { code, stdout } = await interrupted(line, signal, readsStdin);
      expect(code).toBe(130);
      expect(JSON.parse(stdout).error.code).toBe('interrupted');
    },
  );

  test('for the sandbox that a profile is for ends it with 130', async () => {
    let ask = (): void => {};
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const silent = await nodeBeside(() => ask());
    const line = ['config', 'add', 'x', '--sandbox', '--base-url', silent, '--json'];
    const { code, stdout } = await interrupted(line, 'SIGINT', () => asked);
    expect([code, JSON.parse(stdout).error.code]).toEqual([130, 'interrupted']);
  });
});

/** A journal of more payments than are read at a time. */
async function longJournal(): Promise<string> {
  const path = newPath();
  const paid = { kind: 'transfer', namedBy: 'once', name: 'rent', payment: '["ada","sol","1"]' } as const;
  const body = Buffer.from('{"to_address":"ada","asset":"SOL","amount":"1"}');
  await opened(path).commit(async (tx) => {
    for (let n = 0; n < 1200; n += 1) await done(tx, 'accepted', { ...paid, body }, nowMs + n);
  });
  return path;
}

describe('a signal while a long journal is read', () => {
  test.each([
    ['SIGINT', 'history --format csv'],
    ['SIGTERM', 'history --total'],
    ['SIGINT', 'history --json'],
  ] as const)('%s ends %s with 130', async (signal, line) => {
    const { code, stderr, stdout } = await interrupted(
      [...line.split(' '), '--journal', await longJournal()],
      signal,
    );
    expect(`${stderr}${stdout}`).toContain('Interrupted while the journal was being read');
    expect(code).toBe(130);
  });
});
