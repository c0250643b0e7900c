import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { botctlPath } from '../helpers/botctl.ts';
import { Home } from '../helpers/home.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

test('an interrupt ends the reading of a batch on stdin with 130', async () => {
  const words = ['batch', 'send', '-', '--once', 'x', '--sandbox', '--yes'];
  const child = spawn(process.execPath, [botctlPath, ...words], {
    env: home.env,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  await sleep(1500);
  child.kill('SIGINT');
  const [code] = await ended;
  expect(code).toBe(130);
  expect(said).toContain('nothing was sent');
});
