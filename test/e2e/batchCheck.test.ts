import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctlHere } from '../../testing/builtHere.ts';
import { Home } from '../../testing/home.ts';

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const wallet = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const file = (name: string, text: string): string => home.file(name, text);

const copy = (path: string): string => `${path}.checked.csv`;

const checkAs = (kind: 'send' | 'transfer', path: string, ...more: string[]) =>
  botctlHere(['batch', kind, path, '--dry-run', '--report', copy(path), ...more], { env: home.env });

const check = (path: string, ...more: string[]) => checkAs('transfer', path, ...more);

const copyOf = (path: string): string => readFileSync(copy(path), 'utf8');

describe('a dry run without a name', () => {
  test('says that all rows are valid, without a profile, a token or a journal', async () => {
    const path = file('pay.csv', `ID,To Address,asset,amount,note\na,${ada},SOL,1.5,x\n`);
    const ran = await check(path);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('1 row, and it is valid') });
    expect(ran.stdout).toMatch(/Total +1\.5 SOL/u);
    expect(copyOf(path)).toBe(`ID,To Address,asset,amount,note,problem\na,${ada},SOL,1.5,x,\n`);
    expect(existsSync(join(home.path, 'data'))).toBe(false);
  });

  test('writes what is wrong beside each row, and leaves the cells as they are', async () => {
    const rows = [
      `id;to_address;asset;amount;name`,
      `a;${ada};SOL;1;=1+1`,
      `b;x${ada};SOL;1;"semi;colon ""quoted"""`,
      `a;${ada};SOL;2,5;`,
      `f;EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v;SOL;1e3;`,
      'd;0x52908400098527886E0F7030069857D2E4169EE7;SOL;1;',
      `e;${ada};SOL`,
      `g;${ada};SOL;1;x;y`,
    ];
    const path = file('pay.csv', `${rows.join('\n')}\n`);
    const ran = await check(path, '--json');
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      command: 'batch transfer',
      kind: 'transfer',
      rows: { all: 7, invalid: 7, refused: 0 },
      report: copy(path),
      error: { code: 'bad-input', message: expect.stringContaining('7 of 7 rows') },
    });
    const [header, ...copied] = copyOf(path).trimEnd().split('\n');
    expect(header).toBe(`${rows[0]};problem`);
    expect(copied.pop()).toMatch(/^g;.*;SOL;1;x;the row has 6 cells.*;y$/u);
    for (const [index, line] of copied.entries()) expect(line.startsWith(rows[index + 1] ?? '?')).toBe(true);
    expect(copied.map((line) => line.split(';').slice(5).join(';'))).toEqual([
      expect.stringContaining('id is also used on line 4'),
      expect.stringContaining('to_address is'),
      expect.stringMatching(/^"id is also used on line 2 .* amount has a comma/u),
      expect.stringMatching(/^"amount has an exponent .* to_address is the mint of USDC/u),
      expect.stringContaining('is an Ethereum address'),
      expect.stringContaining('has 3 cells'),
    ]);
  });

  test('warns of rows that pay the same, with their lines', async () => {
    const rows = ['a', 'b', 'c'].map((id) => `${id},${ada},SOL,${id === 'b' ? '2' : '1'}\n`);
    const path = file('pay.csv', `id,to_address,asset,amount\n${rows.join('')}`);
    const { code, stderr } = await check(path);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: Lines 2 and 4 pay the same: 1 SOL to ${ada}\n`,
    });
    expect(JSON.parse((await check(path, '--json')).stdout)).toMatchObject({
      alike: [{ to_address: ada, asset: 'SOL', amount: '1', lines: [2, 4] }],
    });
  });

  test('of its own copy, once that is corrected, writes the problems anew', async () => {
    const path = file('pay.csv', `id,to_address,asset,amount\na,${ada},SOL,x\n`);
    expect((await check(path)).code).toBe(2);
    const corrected = file('next.csv', copyOf(path).replace('SOL,x', 'SOL,1'));
    expect((await check(corrected)).code).toBe(0);
    expect(copyOf(corrected)).toBe(`id,to_address,asset,amount,problem\na,${ada},SOL,1,\n`);
  });

  test('knows the wallet, the mints and the policy of the profile, and reads no token', async () => {
    home.writeConfig({
      version: 1,
      'in-use': 'bot',
      profiles: {
        bot: {
          'base-url': 'https://bots.example.com',
          token: { kind: 'env', variable: 'NOT_SET' },
          wallet,
          assets: { BONK: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263' },
          policy: home.policy('{"schema":"botctl-policy/1","limits":{"SOL":{"transfer":"1","day":"1"}}}'),
        },
      },
    });
    const paid = [`a,${wallet},SOL,1`, `b,${ada},SOL,2`, `c,${ada},SOL,1`, `d,${ada},SOL,1`];
    const rows = [...paid, `e,${ada},BONKK,1`];
    const path = file('pay.csv', `id,to_address,asset,amount\n${rows.join('\n')}\n`);
    const ran = await check(path, '--json');
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: { all: 5, invalid: 1, refused: 2 } });
    expect(ran.stderr).toContain('does not name a token "BONKK"');
    const problems = copyOf(path).trimEnd().split('\n');
    expect(problems[1]).toContain('the bot’s own wallet');
    expect(problems[2]).toContain('allows at most 1 SOL per transfer');
    expect(problems[3]).toMatch(/,$/u);
    expect(problems[5]).toContain('has no limits for BONKK');
  });

  test('takes messages, JSON Lines and a template', async () => {
    const messages = file('hello.csv', 'conversation_id,name\nconv_demo,Ada\nconv_demo,\n');
    const template = file('hello.txt', 'Hi {{name}}');
    const ran = await checkAs('send', messages, '--template', template, '--json');
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'message', rows: { all: 2, invalid: 1 } });
    const jsonl = file('hello.jsonl', '{"conversation_id":"c","content":"x"}\n\n{"conversation_id":"c"}\n');
    expect(JSON.parse((await checkAs('send', jsonl, '--json')).stdout)).toMatchObject({ kind: 'message' });
    expect(copyOf(jsonl).split('\n').slice(0, 3)).toEqual([
      'line,row,problem',
      '1,"{""conversation_id"":""c"",""content"":""x""}",',
      '3,"{""conversation_id"":""c""}",content is missing',
    ]);
  });

  test('replaces an earlier copy of the same columns, and no other file', async () => {
    const path = file('pay.csv', `id,to_address,asset,amount\na,${ada},SOL,x\n`);
    expect((await check(path)).code).toBe(2);
    file('pay.csv', `id,to_address,asset,amount\na,${ada},SOL,1\n`);
    expect((await check(path)).code).toBe(0);
    writeFileSync(copy(path), 'minutes of the board');
    const refused = await check(path);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('It was left unchanged') });
    expect(copyOf(path)).toBe('minutes of the board');
  });

  test('reads stdin, writes a copy only of a file, as CSV', async () => {
    const rows = `id,to_address,asset,amount\na,${ada},SOL,x\n`;
    const dry = ['batch', 'transfer', '-', '--dry-run'];
    const { code, stderr } = await botctlHere(dry, { env: home.env, stdin: rows });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1 of 1 row in stdin is not'),
    });
    const path = file('pay.csv', rows);
    for (const refused of [
      [...dry, '--report', 'out.csv'],
      ['batch', 'transfer', path, '--dry-run', '--report', 'out.jsonl'],
    ])
      expect(await botctlHere(refused, { env: home.env, cwd: home.path, stdin: rows })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('writes a copy of the file, as CSV'),
      });
  });

  test.each([
    ['a header that is wrong', 'id,adress,asset,amount\n', 'did you mean to_address?'],
    ['no rows', 'id,to_address,asset,amount\n', 'has no rows'],
  ])('of a file with %s says so and writes no copy', async (_what, text, says) => {
    const path = file('pay.csv', text);
    expect(await check(path)).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
    expect(existsSync(copy(path))).toBe(false);
  });
});
