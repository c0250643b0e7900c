import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runTokenCommand } from '../../src/profile/tokenCommand.ts';
import { failureOf, wordsOf } from '../helpers/failure.ts';
import { Home } from '../helpers/home.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

function script(code: string): string {
  const path = join(home.path, 'helper.cjs');
  writeFileSync(path, code);
  return `'${process.execPath}' '${path}'`;
}

function world(changes: { limitMs?: number; interrupted?: AbortSignal; env?: Record<string, string> } = {}) {
  return {
    env: home.env,
    stdin: Readable.from([]),
    interrupted: new AbortController().signal,
    ...changes,
  };
}

describe('a token command', () => {
  test('gives the first line of its stdout', async () => {
    expect(await runTokenCommand(`printf 'the-token\\nmore\\n'`, world())).toBe('the-token');
    expect(await runTokenCommand(`printf 'the-token\\r\\n'`, world())).toBe('the-token');
    expect(await runTokenCommand('printf the-token', world())).toBe('the-token');
  });

  test('runs without a shell: what a shell would expand stays as it is', async () => {
    expect(await runTokenCommand(`printf %s '$HOME;id'`, world())).toBe('$HOME;id');
    expect(await runTokenCommand('printf %s $HOME`id`|cat', world())).toBe('$HOME`id`|cat');
  });

  test.each([
    ['false', 'exited 1'],
    ['no-such-program-anywhere canary', 'could not be started'],
    ['true', 'printed nothing'],
    [`printf '\\ncanary'`, 'printed nothing'],
    ['yes canary', 'far more than a token'],
  ])('%s is no token, and its words are not echoed', async (command, problem) => {
    const failure = await failureOf(() => runTokenCommand(command, world()));
    expect(failure.code).toBe('no-token');
    expect(failure.message).toContain(problem);
    expect(failure.message).toContain('nothing was sent');
    expect(wordsOf(failure)).not.toContain('canary');
  });

  test('that fails says that no shell ran it, where it was written for one', async () => {
    const hint = async (command: string): Promise<string> =>
      String((await failureOf(() => runTokenCommand(command, world()))).details.hint);
    expect(await hint('false | head')).toContain('No shell runs it');
    expect(await hint('false $HOME')).toContain('No shell runs it');
    expect(await hint('false')).not.toContain('shell');
  });

  test('is stopped when its time is over, also if it will not end', async () => {
    const marker = join(home.path, 'alive');
    const command = script(
      `process.on('SIGTERM', () => {}); require('fs').writeFileSync(${JSON.stringify(marker)}, String(process.pid)); setInterval(() => {}, 20)`,
    );
    const failure = await failureOf(() => runTokenCommand(command, world({ limitMs: 700 })));
    expect(failure.message).toContain('was stopped after 0.7 s');
    const pid = Number(readFileSync(marker, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('is stopped by an interrupt', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const failure = await failureOf(() => runTokenCommand('sleep 20', world({ interrupted: stop.signal })));
    expect(failure.code).toBe('interrupted');
    const before = await failureOf(() => runTokenCommand('sleep 20', world({ interrupted: stop.signal })));
    expect(before.code).toBe('interrupted');
  });

  test('is over when it ends, also if it leaves an agent that holds its output', async () => {
    const command = script(
      `require('child_process').spawn('sleep', ['5'], { stdio: 'inherit', detached: true }).unref(); console.log('the-token')`,
    );
    const begun = Date.now();
    expect(await runTokenCommand(command, world())).toBe('the-token');
    expect(Date.now() - begun).toBeLessThan(4000);
  });

  test('gets neither what is piped to botctl nor another bot’s token', async () => {
    const command = script(
      `process.stdin.on('data', () => process.exit(9)).on('end', () => console.log(String(process.env.BOTCTL_TOKEN)))`,
    );
    const env = { ...home.env, BOTCTL_TOKEN: 'canary' };
    const stdin = Readable.from([Buffer.from('payload')]);
    expect(await runTokenCommand(command, { ...world({ env }), stdin })).toBe('undefined');
  });
});
