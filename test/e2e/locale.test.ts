import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandTree } from '../../src/tree.ts';
import { payAda, SandboxHome, sendHello } from '../../testing/sandboxHome.ts';
import { onTerminalHere } from '../../testing/terminalHere.ts';

const ascii = /^[\n\r -~]*$/u;
const inC = { env: { LC_ALL: 'C' } };

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const help = ['--help'];

describe('what botctl itself prints is ASCII', () => {
  test.each<[string, Record<string, string>, boolean]>([
    ['LC_ALL=C', { LC_ALL: 'C' }, true],
    ['LC_ALL=C beside a LANG of UTF-8', { LC_ALL: 'C', LANG: 'en_US.UTF-8' }, true],
    ['LC_CTYPE=POSIX beside a LANG of UTF-8', { LC_CTYPE: 'POSIX' }, true],
    ['LANG=de_DE.ISO-8859-1', { LANG: 'de_DE.ISO-8859-1' }, true],
    ['no locale at all', { LANG: '' }, true],
    ['an empty LC_ALL, which says nothing', { LC_ALL: '', LANG: 'en_US.utf8' }, false],
    ['LC_ALL=C.UTF-8 beside LANG=C', { LC_ALL: 'C.UTF-8', LANG: 'C' }, false],
    ['LC_CTYPE=en_US.UTF-8 beside LANG=C', { LC_CTYPE: 'en_US.UTF-8', LANG: 'C' }, false],
  ])('%s: %j', async (_name, env, isAscii) => {
    const { stdout } = await operator.run(help, { env });
    expect(ascii.test(stdout)).toBe(isAscii);
  });

  test('on every page of the help, which is no wider for it', async () => {
    const names = commandTree.flatMap((spec) =>
      'children' in spec
        ? [[spec.name], ...spec.children.map(({ name }) => [spec.name, name])]
        : [[spec.name]],
    );
    const topics = ['options', 'exit-codes', 'reruns', 'agents', 'environment'].map((name) => [name]);
    for (const words of [...names, ...topics]) {
      const env = { LC_ALL: 'C', COLUMNS: '80' };
      const { code, stdout } = await operator.run(['help', ...words], { env });
      expect([words, code, stdout]).toEqual([words, 0, expect.stringMatching(ascii)]);
      if (!['sandbox', 'completion'].includes(words[0] ?? ''))
        expect(stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('  $'))).toEqual([]);
    }
  });

  test('in results, the history, the doctor, errors and notices', async () => {
    const lines = [
      [...payAda, '--once', 'rent'],
      [...payAda, '--once', 'rent'],
      ['history'],
      ['history', '--to', '9WzD...AWWM'],
      ['doctor'],
      ['config', 'set', 'prod', 'token', 'x'],
      [...payAda, '--once', 'rent', '--token-file', '/nowhere'],
      ['send', '--conversation', 'c', '--content', 'x', '--button', 'label=Yes,id=y,style=odd'],
      ['verify', '--all'],
      ['transfer', '--to', '9WzD...AWWM', '--asset', 'SOL', '--amount', '1'],
      ['send', '--payload', '-'],
    ];
    for (const line of lines) {
      const { stdout, stderr } = await operator.run([...line, '--verbose'], inC);
      expect([line, stdout, stderr]).toEqual([
        line,
        expect.stringMatching(ascii),
        expect.stringMatching(ascii),
      ]);
    }
  });

  test('and what others wrote stays as it is', async () => {
    const content = '“it’s → …” ✔';
    const send = ['send', '--conversation', 'conv_demo', '--content', content, '--once', 'ada’s'];
    const { stdout } = await operator.run(send, inC);
    expect(stdout).toContain(`  | ${content}\n`);
    expect(stdout).toContain('Name          ada’s (--once)');
    expect((await operator.run(['history'], inC)).stdout).toContain(`conv_demo: ${content} [ada’s]`);
    const other = await operator.run([...send.with(4, 'x'), '--dry-run'], inC);
    expect(other.stdout + other.stderr).toContain('ada’s');
  });

  test('and JSON is the same in every locale', async () => {
    const send = ['send', '--conversation', 'conv_demo', '--content', 'it’s', '--once', 'a'];
    await operator.run(send);
    for (const line of [['history'], ['send', '--payload', '-'], ['help', 'options']]) {
      const [one, other] = [
        await operator.run([...line, '--json']),
        await operator.run([...line, '--json'], inC),
      ];
      expect(one).toEqual(other);
    }
    expect((await operator.run(['help', 'options', '--json'], inC)).stdout).toContain('…');
  });
});

describe('on a terminal', () => {
  test('the question and the spinner are ASCII too', async () => {
    const gate = await operator.gate();
    void gate.holdNext('reply');
    const { shown } = await onTerminalHere(
      [...payAda, '--memo', 'for Ada’s rent'],
      [
        [/\[y\/N\] /u, 'y\r'],
        [/[-\\|/].{0,10} [A-Z]/u, '\u0003\u0003'],
      ],
      { ...operator.env, LC_ALL: 'C' },
    );
    expect(stripVTControlCharacters(shown).replaceAll('Ada’s', '')).toMatch(ascii);
    expect(shown).toContain('for Ada’s rent');
  });
});

describe('the list on a terminal', () => {
  const address = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

  async function listed(columns: number, env = {}, ...more: string[]): Promise<string[]> {
    const { shown } = await onTerminalHere(
      ['history', ...more],
      [],
      { ...operator.env, ...env },
      { columns },
    );
    return stripVTControlCharacters(shown).trimEnd().split(/\r?\n/u);
  }

  test('shows whole addresses where it is wide, and the zone once', async () => {
    await operator.run([...payAda, '--once', 'rent']);
    await operator.run([...sendHello, '--once', 'hello']);
    const narrow = await listed(80);
    expect(narrow[0]).toMatch(/^WHEN \(UTC\) +STATE +ID +WHAT$/u);
    expect(narrow.join('\n')).toContain('9WzD…AWWM [rent]');
    expect(narrow.join('\n')).not.toMatch(/\dZ/u);
    const wide = await listed(140);
    expect(wide[0]).toBe(narrow[0]);
    expect(wide.join('\n')).toContain(`${address} [rent]`);
    for (const line of [...narrow, ...wide]) expect(line.length).toBeLessThanOrEqual(140);
    const inAscii = await listed(80, { LC_ALL: 'C' });
    expect(inAscii.join('\n')).toContain('0.5 SOL -> 9WzD...AWWM [rent]');
  });

  test('names the local time once too', async () => {
    await operator.json([...payAda, '--once', 'rent']);
    const [heading, line] = await listed(80, { TZ: 'Europe/Berlin' }, '--local');
    expect(heading).toMatch(/^WHEN \(local\) /u);
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d {2}accepted/u);
  });

  test('has columns that wide characters do not move', async () => {
    const content = '漢字'.repeat(40);
    await operator.run(['send', '--conversation', 'conv_demo', '--content', content, '--once', '給料']);
    await operator.run([...payAda, '--once', 'rent']);
    const [, transfer = '', message = ''] = await listed(140);
    expect(message).toMatch(/… \[給料\]$/u);
    expect(stringWidth(message)).toBeLessThanOrEqual(140);
    expect(transfer).toMatch(/\[rent\]$/u);
  });
});

describe('the key', () => {
  test('is in JSON and on no screen, not even where something is not settled', async () => {
    await operator.sandbox.faults({ kind: 'drop', when: 'before', operation: 'transfer' });
    const unsettled = await operator.run([...payAda, '--once', 'rent']);
    const { intent } = await operator.json([...payAda, '--once', 'rent']);
    const settled = await operator.run([...payAda, '--once', 'rent']);
    const detail = await operator.run(['history', intent?.id ?? '']);
    for (const { stdout, stderr } of [unsettled, settled, detail])
      expect(stdout + stderr).not.toContain(intent?.key ?? 'no key');
  });
});
