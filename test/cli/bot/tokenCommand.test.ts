import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runTokenCommand } from '../../../src/cli/bot/tokenInput.ts';
import { failureOf, wordsOf } from '../../support/failure.ts';
import { Home } from '../../support/home.ts';

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

function inputs(
  changes: { limitMs?: number; interrupts?: { first: AbortSignal }; env?: Record<string, string> } = {},
) {
  return {
    env: home.env,
    stdin: Readable.from([]),
    interrupts: { first: new AbortController().signal },
    ...changes,
  };
}

describe('a token command', () => {
  test('gives the first line of its stdout', async () => {
    expect(await runTokenCommand(`printf 'the-token\\nmore\\n'`, 'token', inputs())).toBe('the-token');
    expect(await runTokenCommand(`printf 'the-token\\r\\n'`, 'token', inputs())).toBe('the-token');
    expect(await runTokenCommand('printf the-token', 'token', inputs())).toBe('the-token');
  });

  test('runs without a shell: what a shell would expand stays as it is', async () => {
    expect(await runTokenCommand(`printf %s '$HOME;id'`, 'token', inputs())).toBe('$HOME;id');
    expect(await runTokenCommand('printf %s $HOME`id`|cat', 'token', inputs())).toBe('$HOME`id`|cat');
  });

  test.each([
    ['false', 'exited with code 1'],
    ['no-such-program-anywhere canary', 'could not be started: there is no such file'],
    ['true', 'printed nothing'],
    [`printf '\\ncanary'`, 'printed nothing'],
    ['yes canary', /ended by|exited with/u],
  ])('%s is no token, and its words are not echoed', async (command, problem) => {
    const failure = await failureOf(() => runTokenCommand(command, 'token', inputs()));
    expect(failure.code).toBe('no-token');
    expect(failure.message).toMatch(problem);
    expect(wordsOf(failure)).not.toContain('canary');
  });

  test('is stopped when its time is over, also if it will not end', async () => {
    const marker = join(home.path, 'alive');
    const command = script(
      `process.on('SIGTERM', () => {}); require('fs').writeFileSync(${JSON.stringify(marker)}, String(process.pid)); setInterval(() => {}, 20)`,
    );
    const failure = await failureOf(() => runTokenCommand(command, 'token', inputs({ limitMs: 1000 })));
    expect(failure.message).toContain('was stopped after 1 s');
    process.kill(Number(readFileSync(marker, 'utf8')), 'SIGKILL');
  });

  test('is stopped by an interrupt', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const failure = await failureOf(() =>
      runTokenCommand('sleep 20', 'token', inputs({ interrupts: { first: stop.signal } })),
    );
    expect(failure.code).toBe('interrupted');
    const before = await failureOf(() =>
      runTokenCommand('sleep 20', 'token', inputs({ interrupts: { first: stop.signal } })),
    );
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
    expect(await runTokenCommand(command, 'token', inputs())).toBe('the-token');
    process.kill(Number(readFileSync(agent, 'utf8')));
  });

  test('gets neither what is piped to botctl nor another bot’s token', async () => {
    const command = script(
      `process.stdin.on('data', () => process.exit(9)).on('end', () => console.log(String(process.env.BOTCTL_TOKEN)))`,
    );
    const env = { ...home.env, BOTCTL_TOKEN: 'canary' };
    const stdin = Readable.from([Buffer.from('payload')]);
    expect(await runTokenCommand(command, 'token', { ...inputs({ env }), stdin })).toBe('undefined');
  });
});
