import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ran } from '../support/botctl.ts';
import { jsonLines } from '../support/jsonOutput.ts';
import { SandboxHome } from '../support/sandboxHome.ts';

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const bob = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const file = (name: string, text: string): string => operator.home.file(name, text);

const pay = (path: string, ...more: string[]): Promise<Ran> =>
  operator.run(['batch', 'transfer', path, '--once', 'pay', '--yes', ...more]);

const paid = () => operator.sandbox.ledger({ kind: 'transfer' });

describe('the columns of a file', () => {
  test('are taken in any order and case, and with blanks, - or _', async () => {
    const path = file('a.csv', `Amount, ID ,To-Address,ASSET,\n1,a,${ada},SOL,\n`);
    expect(await pay(path)).toMatchObject({ code: 0 });
    const jsonl = file('b.jsonl', `{"TO ADDRESS":"${bob}","Id":"b","asset":"SOL","amount":"2"}\n`);
    expect(await operator.run(['batch', 'transfer', jsonl, '--once', 'two', '--yes'])).toMatchObject({
      code: 0,
    });
    expect((await paid()).map(({ request }) => [request.to_address, request.amount])).toEqual([
      [ada, '1'],
      [bob, '2'],
    ]);
  });

  test.each([
    ['csv', `id,to_address,asset,amount,Name,note\na,${ada},SOL,1,Ada,for November\n`],
    [
      'jsonl',
      `{"id":"a","to_address":"${ada}","asset":"SOL","amount":"1","Name":"Ada","note":"for November"}\n`,
    ],
  ])('that botctl does not know are kept and never sent (%s)', async (format, text) => {
    const path = file(`a.${format}`, text);
    const report = join(operator.home.path, 'report.csv');
    const ran = await pay(path, '--report', report, '--json');
    expect(ran.code).toBe(0);
    const [row, end] = jsonLines(ran.stdout);
    const columns = { Name: 'Ada', note: 'for November' };
    expect(row).toMatchObject({ entry: { columns, request: { to_address: ada, amount: '1' } } });
    expect(end).toMatchObject({ columns: ['Name', 'note'] });
    expect(JSON.stringify(await paid())).not.toContain('November');
    expect(readFileSync(report, 'utf8')).toMatch(
      /^id,.*,Name,note,state,entry,result,error,time\n.*,Ada,for November,done,.*\n$/u,
    );
    // The key is that of the row without them.
    const plain = file('plain.csv', `id,to_address,asset,amount\na,${ada},SOL,1\n`);
    expect((await pay(plain)).stdout).toContain('1 of them earlier');
    const listed = await operator.run(['history']);
    expect(listed.stdout).toContain('[pay a Ada · for November]');
    const { entry } = row as { entry: { id: string } };
    expect((await operator.run(['history', entry.id])).stdout).toMatch(/For +Ada · for November/u);
    const exported = await operator.run(['history', '--format', 'jsonl']);
    expect(jsonLines(exported.stdout)[0]).toMatchObject({ columns });
    expect((await operator.run(['history', '--format', 'csv'])).stdout).toContain('for November');
  });

  test('are no formula in a report or an export, whatever separates the cells', async () => {
    const path = file(
      'a.csv',
      `id,to_address,asset,amount,x;＝y\na,${ada},SOL,1,x;=1+1;y\nb,${bob},SOL,1,＝1+1\n`,
    );
    const report = join(operator.home.path, 'report.csv');
    expect((await pay(path, '--report', report)).code).toBe(0);
    const said = readFileSync(report, 'utf8');
    const last = said.split('\n').map((line) => line.split(',').at(-6));
    expect(last).toEqual([`"x;'＝y"`, `"x;'=1+1;y"`, "'＝1+1", undefined]);
    const { stdout } = await operator.run(['history', '--format', 'csv']);
    expect(stdout.split(/[,;\t\n]/u).filter((cell) => /^["\s]*[=＝]/u.test(cell))).toEqual([]);
  });

  test('are named by --column, and the ones that may be meant are listed, without those that are right', async () => {
    const path = file('a.csv', `Invoice ID,to_address,asset,amount,note\na,${ada},SOL,1,x\n`);
    const ran = await pay(path);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('line 2: id is missing');
    expect(ran.stderr.replace(/\s+/gu, ' ')).toContain(
      'No row has id. If the file calls it something else (Invoice ID, note), name the column: --column id=COLUMN.',
    );
    expect(ran.stderr).not.toContain('--skip-invalid');
    expect(await pay(path, '--column', 'id=invoice-id')).toMatchObject({ code: 0 });
    expect(await paid()).toHaveLength(1);
  });

  test.each([
    ['id', 'does not name a column'],
    ['id=', 'does not name a column'],
    ['name=Name', 'does not name a column'],
    ['id=Memo', 'cannot be combined with --column memo=memo'],
    ['memo=x', 'cannot be combined with --column memo=memo'],
  ])('are not named by --column %s', async (column, says) => {
    const ran = await pay('no.csv', '--column', 'memo=memo', '--column', column);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
  });

  test.each([['"ID":"b"', 'given more than once: "id", "ID"']])(
    'of a line of JSON with %s are refused',
    async (more, says) => {
      const row = `{"id":"a","to_address":"${ada}","asset":"SOL","amount":"1",${more}}\n`;
      expect(await pay(file('a.jsonl', row))).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(says),
      });
    },
  );

  test('may be long and hostile: a name of 10,000 characters is bounded and escaped where it is shown', async () => {
    const name = `A\u202e\u001b[31m${'x'.repeat(10_000)}`;
    const path = file('a.csv', `id,to_address,asset,amount,name\na,${ada},SOL,1,"${name}"\n`);
    expect((await pay(path)).code).toBe(0);
    const { stdout } = await operator.run(['history']);
    expect(stdout).toContain('A\\u202e\\u001b[31mxxx');
    expect(stdout.length).toBeLessThan(1000);
    const [entry] = jsonLines((await operator.run(['history', '--json'])).stdout);
    expect(entry).toMatchObject({ entry: { columns: { name } } });
    const shown = await operator.run(['history', (entry as { entry: { id: string } }).entry.id]);
    expect(shown.stdout.length).toBeLessThan(2000);
    expect(shown.stdout).not.toContain('\u001b');
  });

  test('may be named by a template, however they are spelled, and are kept then too', async () => {
    const csv = file('m.csv', 'conversation_id,First Name,note\nconv_demo,Ada,x\n');
    const template = file('t.txt', 'Hi {{first_name}}!');
    const ran = await operator.run(['batch', 'send', csv, '--once', 'hi', '--template', template, '--json']);
    expect(ran.code).toBe(0);
    const [row, end] = jsonLines(ran.stdout);
    expect(row).toMatchObject({
      entry: { request: { content: 'Hi Ada!' }, columns: { 'First Name': 'Ada', note: 'x' } },
    });
    expect(end).toMatchObject({ columns: ['note'] });
  });
});
