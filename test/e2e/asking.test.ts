import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Home } from '../support/home.ts';
import { programInShell } from '../support/program.ts';
import { otherRecipient } from '../support/sandbox.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';
import { noTerminal, onTerminal, shellOnTerminal } from '../support/terminal.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const ask = 'Send it? [y/N] ';
const pay = [...payAda, '--max-wait', '0s'].join(' ');
const ledger = () => operator.sandbox.ledger();

describe.skipIf(noTerminal !== '')(`with a controlling terminal${noTerminal}`, () => {
  test('n there sends nothing, whatever a pipe says', async () => {
    const ended = await onTerminal(payAda, [[ask, 'n\r']], operator.env, { stdin: 'y\n' });
    expect(ended).toMatchObject({ code: 130, stdout: '' });
    expect(ended.shown).toContain(payAda[2]);
    expect(ended.stderr).not.toContain('[y/N]');
    expect(await ledger()).toEqual([]);
  });

  test.each([
    ['half a line', 'y'],
    ['eighty lines and a half', `${'y\r'.repeat(80)}y`],
    ['the end of the input', 'y\u0004\u0004'],
  ])('%s that was typed before its question is no answer', async (_name, typed) => {
    const steps = [
      ['ready', `go\r${typed}`],
      [ask, '\r'],
    ] as const;
    const line = `echo ready; read gate < /dev/tty; botctl ${pay}`;
    expect((await shellOnTerminal(line, steps, operator.env)).code).toBe(130);
    expect(await ledger()).toEqual([]);
  });

  test('what was typed before a hidden question is no part of the token', async () => {
    const { env } = operator.home;
    const line =
      'echo ready; read gate < /dev/tty; botctl config add prod --base-url https://b.example.com --yes';
    const steps = [
      ['ready', 'go\rls\rsecond-h'],
      ['Token of prod (not shown): ', 'whole-token\r'],
    ] as const;
    expect((await shellOnTerminal(line, steps, env)).code).toBe(0);
    expect(operator.home.readConfig()).toMatchObject({
      profiles: { prod: { token: { secret: 'whole-token' } } },
    });
  });

  test('a question and a dry run say what this journal has paid the recipient', async () => {
    const [verb, option, ada = '', ...rest] = payAda;
    expect((await operator.run([...payAda, '--once', 'rent-10'])).code).toBe(0);
    expect((await operator.run([...payAda, '--once', 'rent-11', '--repeat'])).code).toBe(0);
    for (const [to, said] of [
      [ada, 'paid 2 times, last today'],
      [otherRecipient, 'never paid before'],
    ] as const) {
      const words = [verb, option, to, ...rest, '--memo', 'bonus'].map(String);
      const beside = new RegExp(`To +${to}\\s+${said}`, 'u');
      expect((await operator.run([...words, '--dry-run'])).stdout).toMatch(beside);
      const ask = to === ada ? 'Pay it a second time? [y/N] ' : 'Send it? [y/N] ';
      expect((await onTerminalHere(words, [[ask, 'n\r']], operator.env)).shown).toMatch(beside);
    }
    expect((await operator.run([...payAda, '--once', 'x', '--dry-run', '--json'])).stdout).not.toContain(
      '2 times',
    );
  });

  test('Ctrl-C at a question is 130, and ends what else runs in its pipeline', async () => {
    const line = `botctl ${pay} | cat; echo "codes \${PIPESTATUS[*]}"`;
    const { shown } = await shellOnTerminal(line, [[ask, '\u0003']], operator.env);
    expect(shown).toContain('Interrupted');
    expect(shown).toContain('codes 130 130');
    expect(await ledger()).toEqual([]);
  });

  test('any other answer is No, also one of several bytes', async () => {
    for (const typed of ['ｙ\r', 'да\r', 'yes, do\r'])
      expect((await onTerminalHere(payAda, [[ask, typed]], operator.env, { stdin: '' })).code, typed).toBe(
        130,
      );
    expect(await ledger()).toEqual([]);
    expect((await onTerminalHere(payAda, [[ask, ' YES \r']], operator.env, { stdin: '' })).code).toBe(0);
  });
});

describe.skipIf(noTerminal !== '')(`a token that is asked for on a terminal${noTerminal}`, () => {
  const secret = 'canary-token-0123456789-abcdefgh';
  const add = ['config', 'add', 'prod', '--base-url', 'https://bots.example.com', '--yes'];
  const prompt = 'Token of prod (not shown): ';
  let home: Home;
  beforeEach(() => {
    home = operator.home;
  });

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

describe.skipIf(noTerminal !== '')(`in the background of a terminal${noTerminal}`, () => {
  const behind = (words: string) => `set -m; botctl ${words} & wait $!`;

  test('a transfer is refused without a word of --yes, never stopped', async () => {
    for (const line of [behind(pay), `timeout 60 botctl ${pay}; exit $?`]) {
      const { code, shown } = await shellOnTerminal(line, [], operator.env);
      expect(code, line).toBe(2);
      expect(shown).not.toContain('add --yes');
      expect(shown).toMatch(/timeout\s+--foreground/u);
    }
    expect(await ledger()).toEqual([]);
    expect((await operator.run(['history', '--json'])).stdout).toBe('');
    expect((await shellOnTerminal(behind(`${pay} --yes`), [], operator.env)).code).toBe(0);
  });

  test('timeout --foreground leaves it where it can ask', async () => {
    const line = `timeout --foreground 60 botctl ${pay}; exit $?`;
    expect((await shellOnTerminal(line, [[ask, 'n\r']], operator.env)).code).toBe(130);
  });

  test('what is done is told again, and what is in doubt stays 9 and says why it was not sent', async () => {
    await operator.run([...payAda, '--once', 'rent']);
    expect((await shellOnTerminal(behind(`${pay} --once rent`), [], operator.env)).code).toBe(0);
    await operator.sandbox.faults({ kind: 'drop', when: 'after', operation: 'transfer' });
    const other = pay.replace('0.5', '0.6');
    expect((await operator.run([...other.split(' '), '--once', 'wages'])).code).toBe(9);
    const doubtful = await shellOnTerminal(behind(`${other} --once wages`), [], operator.env);
    expect(doubtful.code).toBe(9);
    expect(doubtful.shown).toMatch(/warning:[^!]*background[^!]*may have been made/su);
    expect(await ledger()).toHaveLength(2);
  });

  test('with nohup it is refused before its user logs out, and sent after', async () => {
    const path = operator.home.path;
    const nohup = `set -m; nohup botctl ${pay} > ${path}/log 2>&1 & wait $!`;
    const before = await shellOnTerminal(nohup, [], operator.env);
    expect(before.code).toBe(2);
    const waiting = `while kill -0 $0 2> /dev/null; do :; done; botctl ${pay}; echo $? > ${path}/code`;
    await shellOnTerminal(`set -m; nohup bash -c "$SCRIPT" $$ > ${path}/log 2>&1 & disown; true`, [], {
      ...operator.env,
      SCRIPT: waiting.replace('botctl', programInShell),
    });
    const code = (): string =>
      existsSync(join(path, 'code')) ? readFileSync(join(path, 'code'), 'utf8') : '';
    await expect.poll(code).toBe('0\n');
    expect(await ledger()).toHaveLength(1);
  });
});

describe('without a controlling terminal', () => {
  test.skipIf(noTerminal !== '')(
    'the command is the word, even where the streams are a terminal',
    async () => {
      expect((await shellOnTerminal(`setsid --wait botctl ${pay}`, [], operator.env)).code).toBe(0);
      expect(await ledger()).toHaveLength(1);
    },
  );
});
