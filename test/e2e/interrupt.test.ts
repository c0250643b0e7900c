import { type ChildProcess, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ran, shell, started } from '../support/botctl.ts';
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
  test('for the rows of a batch on stdin ends it with 130', async () => {
    const line = ['batch', 'send', '-', '--once', 'x', '--sandbox', '--yes'];
    const { code, stderr } = await interrupted(line, 'SIGINT', readsStdin);
    expect([code, stderr]).toEqual([130, expect.stringContaining('Nothing was sent')]);
  });

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

/** Whether it has the pipe open, or a thread of it waits in open(2) for a writer, as the single file's does. */
function hasOpen(pid: number, path: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    if (readdirSync(folder).some((name) => readlinkSync(join(folder, name)) === path)) return true;
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.some((id) => readFileSync(`/proc/${pid}/task/${id}/wchan`, 'utf8') === 'wait_for_partner');
  } catch {
    return false;
  }
}

describe.skipIf(!existsSync('/proc/self/fd'))('a named pipe', () => {
  let pipe: string;
  beforeEach(() => {
    pipe = join(home.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
  });

  const message = ['send', '--conversation', 'conv_demo', '--sandbox'];

  test.each<[string, (path: string) => readonly string[], NodeJS.Signals]>([
    ['--payload', (path) => ['send', '--payload', path], 'SIGTERM'],
    ['batch', (path) => ['batch', 'send', path, '--once', 'x', '--sandbox'], 'SIGINT'],
  ])('without a writer is left at an interrupt: %s', async (_option, wordsOf, signal) => {
    const waits = async ({ pid = 0 }: ChildProcess): Promise<void> =>
      void (await expect.poll(() => hasOpen(pid, pipe)).toBe(true));
    const { code, signal: by, stderr } = await interrupted(wordsOf(pipe), signal, waits);
    expect([code, by]).toEqual([130, null]);
    expect(stderr).toContain('Nothing was sent');
  });

  test.each([
    ['it is', `(sleep 0.5; echo the text > pipe) & `, '--content-file pipe'],
    ['a process substitution is', '', '--content-file <(sleep 0.2; echo the text)'],
    ['/dev/stdin of a pipe is', '', '--content-file /dev/stdin < <(echo the text)'],
    ['/dev/stdin of a file is', '', '--content-file /dev/stdin < text'],
    ['stdin of a named pipe is', '(echo the text > pipe) & ', '--content-file - < pipe'],
  ])('is waited for, and read whole: %s', async (_what, writing, words) => {
    home.file('text', 'the text\n');
    const line = `${writing}botctl ${message.join(' ')} ${words} --json`;
    const { stdout } = await shell(line, { env: home.env, cwd: home.path });
    expect(JSON.parse(stdout)).toMatchObject({ entry: { request: { content: 'the text' } } });
  });
});
