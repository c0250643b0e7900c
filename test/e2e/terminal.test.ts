import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Home } from '../support/home.ts';
import { noTerminal, onTerminal } from '../support/terminal.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const secret = 'canary-token-0123456789-abcdefgh';
const add = ['config', 'add', 'prod', '--base-url', 'https://bots.example.com', '--yes'];
const prompt = 'Token of prod (not shown): ';

describe.skipIf(noTerminal !== '')(`on a terminal${noTerminal}`, () => {
  test('the token is asked for and not shown, also when it is mended while typing', async () => {
    const { code, shown } = await onTerminal(add, [[prompt, `${secret}XX\u007f\u007f\r`]], home.env);
    expect(code).toBe(0);
    expect(shown).toContain(prompt);
    expect(shown).not.toContain('canary');
    expect(shown).toContain('ends in efgh');
    expect(home.readConfig()).toMatchObject({ profiles: { prod: { token: { kind: 'stored', secret } } } });
  });

  test('with --json the question is on stderr and the answer unseen all the same', async () => {
    const { code, shown } = await onTerminal([...add, '--json'], [[prompt, `${secret}\r`]], home.env);
    expect(code).toBe(0);
    expect(shown).not.toContain('canary');
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['half a token and Ctrl-C', 'canary-to\u0003'],
  ])('%s at the question exits 130 and stores nothing', async (_name, typed) => {
    const { code, shown } = await onTerminal(add, [[prompt, typed]], home.env);
    expect(code).toBe(130);
    expect(shown).toContain('Interrupted');
    expect(shown).not.toContain('canary');
    expect(existsSync(home.configFile)).toBe(false);
  });

  test('an answer that is no token is refused without being shown', async () => {
    for (const typed of ['\r', 'Bot canary\r']) {
      const { code, shown } = await onTerminalHere(add, [[prompt, typed]], home.env);
      expect(code).toBe(3);
      expect(shown).not.toContain('canary');
      expect(existsSync(home.configFile)).toBe(false);
    }
  });

  test('another origin asks for the token again', async () => {
    await onTerminal(add, [[prompt, `${secret}\r`]], home.env);
    const move = ['config', 'set', 'prod', 'base-url', 'https://bots.example.net'];
    const { code, shown } = await onTerminal(move, [[prompt, 'a-new-canary\r']], home.env);
    expect(code).toBe(0);
    expect(shown).toContain('is for https://bots.example.com');
    expect(home.readConfig()).toMatchObject({
      profiles: { prod: { 'base-url': 'https://bots.example.net', token: { secret: 'a-new-canary' } } },
    });
  });

  test('remove asks, and the default is No', async () => {
    home.writeConfig({
      version: 1,
      profiles: { prod: { 'base-url': 'https://x.example.com', token: { kind: 'stored', secret } } },
    });
    const remove = ['config', 'remove', 'prod'];
    for (const [typed, code] of [
      ['\r', 130],
      ['n\r', 130],
      ['\u0003', 130],
      ['y\r', 0],
    ] as const) {
      expect(await onTerminalHere(remove, [['[y/N] ', typed]], home.env)).toMatchObject({ code });
      expect('prod' in (home.readConfig() as { profiles: object }).profiles).toBe(code === 130);
    }
  });
});
