import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { shell, started } from '../support/botctl.ts';
import { catchesSignals, readsStdin } from '../support/catches.ts';
import { Home } from '../support/home.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

test('an interrupt ends the reading of a batch on stdin with 130', async () => {
  const words = ['batch', 'send', '-', '--once', 'x', '--sandbox', '--yes'];
  const { child, ended } = started(words, home.env, 'pipe');
  await catchesSignals(child);
  await readsStdin(child);
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toContain('Nothing was sent');
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
    const { child, ended } = started(wordsOf(pipe), home.env, 'pipe');
    const timer = setTimeout(() => child.kill('SIGKILL'), 50_000);
    while (child.exitCode === null && child.signalCode === null && !hasOpen(child.pid ?? 0, pipe))
      await sleep(20);
    child.kill(signal);
    const { code, signal: by, stderr } = await ended;
    expect([code, by]).toEqual([130, null]);
    clearTimeout(timer);
    expect(stderr).toContain('Nothing was sent');
  });

  test('is waited for, and read whole', async () => {
    const line = `(sleep 0.5; echo from the pipe > '${pipe}') & botctl ${message.join(' ')} --content-file '${pipe}' --json`;
    const ran = await shell(line, { env: home.env });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      outcome: 'accepted',
      entry: { request: { content: 'from the pipe' } },
    });
  });

  test.each([
    ['a process substitution', '--content-file <(sleep 0.2; echo the text)'],
    ['/dev/stdin of a pipe', '--content-file /dev/stdin < <(echo the text)'],
    ['/dev/stdin of a file', '--content-file /dev/stdin < text'],
    ['stdin of a named pipe', '--content-file - < pipe'],
  ])('and so is %s', async (_what, words) => {
    home.file('text', 'the text\n');
    const writing = words.endsWith('pipe') ? '(echo the text > pipe) & ' : '';
    const ran = await shell(`${writing}botctl ${message.join(' ')} ${words} --json`, {
      env: home.env,
      cwd: home.path,
    });
    expect(JSON.parse(ran.stdout)).toMatchObject({ entry: { request: { content: 'the text' } } });
  });
});
