import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runTokenCommand } from '../../../src/cli/bot/tokenInput.ts';
import { failureOf, wordsOf } from '../../../testing/failure.ts';
import { Home } from '../../../testing/home.ts';

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

function inputs(changes: { limitMs?: number; interrupted?: AbortSignal; env?: Record<string, string> } = {}) {
  return {
    env: home.env,
    stdin: Readable.from([]),
    interrupted: new AbortController().signal,
    ...changes,
  };
}

describe('a token command', () => {
  test('gives the first line of its stdout', async () => {
    expect(await runTokenCommand(`printf 'the-token\\nmore\\n'`, inputs())).toBe('the-token');
    expect(await runTokenCommand(`printf 'the-token\\r\\n'`, inputs())).toBe('the-token');
    expect(await runTokenCommand('printf the-token', inputs())).toBe('the-token');
  });

  test('runs without a shell: what a shell would expand stays as it is', async () => {
    expect(await runTokenCommand(`printf %s '$HOME;id'`, inputs())).toBe('$HOME;id');
    expect(await runTokenCommand('printf %s $HOME`id`|cat', inputs())).toBe('$HOME`id`|cat');
  });

  test.each([
    ['false', 'exited with code 1'],
    ['no-such-program-anywhere canary', 'could not be started: there is no such command'],
    ['true', 'printed nothing'],
    [`printf '\\ncanary'`, 'printed nothing'],
    ['yes canary', 'far more than a token'],
  ])('%s is no token, and its words are not echoed', async (command, problem) => {
    const failure = await failureOf(() => runTokenCommand(command, inputs()));
    expect(failure.code).toBe('no-token');
    expect(failure.message).toContain(problem);
    expect(wordsOf(failure)).not.toContain('canary');
  });

  test('that fails says that no shell ran it, where it was written for one', async () => {
    const hint = async (command: string): Promise<string> =>
      String((await failureOf(() => runTokenCommand(command, inputs()))).details.hint);
    expect(await hint('false | head')).toContain('without a shell');
    expect(await hint('false $HOME')).toContain('without a shell');
    expect(await hint('false')).not.toContain('shell');
  });

  test('is stopped when its time is over, also if it will not end', async () => {
    const marker = join(home.path, 'alive');
    const command = script(
      `process.on('SIGTERM', () => {}); require('fs').writeFileSync(${JSON.stringify(`${marker}.part`)}, String(process.pid)); require('fs').renameSync(${JSON.stringify(`${marker}.part`)}, ${JSON.stringify(marker)}); setInterval(() => {}, 20)`,
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const failing = failureOf(() => runTokenCommand(command, inputs({ limitMs: 1000 })));
    while (!existsSync(marker)) await nextTurn();
    vi.advanceTimersByTime(1000);
    // It is asked to end, and given some time for it.
    vi.advanceTimersByTime(60_000);
    const failure = await failing;
    expect(failure.message).toContain('was stopped after 1 s');
    const pid = Number(readFileSync(marker, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('is stopped by an interrupt', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const failure = await failureOf(() => runTokenCommand('sleep 20', inputs({ interrupted: stop.signal })));
    expect(failure.code).toBe('interrupted');
    const before = await failureOf(() => runTokenCommand('sleep 20', inputs({ interrupted: stop.signal })));
    expect(before.code).toBe('interrupted');
  });

  test('is over when it ends, also if it leaves an agent that holds its output', async () => {
    const agent = join(home.path, 'agent');
    const command = script(
      `const agent = require('child_process').spawn('sleep', ['600'], { stdio: 'inherit', detached: true });
      agent.unref();
      require('fs').writeFileSync('${agent}', String(agent.pid));
      console.log('the-token')`,
    );
    expect(await runTokenCommand(command, inputs())).toBe('the-token');
    process.kill(Number(readFileSync(agent, 'utf8')));
  });

  test('gets neither what is piped to botctl nor another bot’s token', async () => {
    const command = script(
      `process.stdin.on('data', () => process.exit(9)).on('end', () => console.log(String(process.env.BOTCTL_TOKEN)))`,
    );
    const env = { ...home.env, BOTCTL_TOKEN: 'canary' };
    const stdin = Readable.from([Buffer.from('payload')]);
    expect(await runTokenCommand(command, { ...inputs({ env }), stdin })).toBe('undefined');
  });
});
