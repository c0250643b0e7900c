import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jsonLines } from '../support/jsonOutput.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const [ada, bob] = [payAda[2], '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z'];
const file = (text: string): string => operator.home.file('pay.csv', text);
const pay = (path: string, ...more: string[]): string[] => [
  ...['batch', 'transfer', path, '--once', 'nov', '--yes'],
  ...more,
];
const amounts = async (): Promise<unknown[]> =>
  (await operator.sandbox.ledger()).map(({ request }) => request.amount).sort();

/** As a German spreadsheet writes it: a mark, semicolons, decimal commas, a column of its own and empty rows. */
const german = `\ufeffid;to_address;asset;amount;Kostenstelle\r
 a1 ;${ada};SOL; 1,5 ;4711\r
;;;;\r
a2;${bob}\u00a0;SOL;0,75;0815\r
 ; ;;;\r
;;;;\r
`;

describe('a file from a spreadsheet', () => {
  test('is paid as it is, and its report is as it was', async () => {
    const report = operator.home.file('report.csv', '').replace(/report\.csv$/u, 'paid.csv');
    const ended = await operator.run(pay(file(german), '--decimal-comma', '--report', report));
    expect(ended.code, ended.stderr).toBe(0);
    expect(await amounts()).toEqual(['0.75', '1.5']);
    expect(ended.stderr).toContain('2 rows: 2 to send');
    const [head = '', first = '', ...rest] = readFileSync(report, 'utf8').trimEnd().split('\n');
    expect(head).toMatch(/^id;to_address;asset;amount;Kostenstelle;state;entry;result;error;time$/u);
    expect(first).toMatch(/^ a1 ;.*;SOL;" 1,5 ";4711;done;.*;\d{4}-\d\d-\d\dT[\d:.]+Z$/u);
    expect(rest).toHaveLength(1);
    const again = await operator.run(pay(file(german), '--decimal-comma', '--report', report));
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of them earlier') });
  });
});

test('--decimal-comma is refused where commas divide the cells, and not offered there', async () => {
  const quoted = `id,to_address,asset,amount\na,${ada},SOL,"1,5"\n`;
  const refused = await operator.run(pay(file(quoted), '--decimal-comma'));
  const said = expect.stringMatching(/divides its cells by commas.*Nothing was sent/su);
  expect([refused.code, refused.stderr]).toEqual([2, said]);
  const { code, stderr } = await operator.run(pay(file(`${quoted}b,${bob},SOL,2\n`)));
  expect(code).toBe(2);
  expect(stderr).toContain('If 1,5 means one and a half in this file, save it with ; between its cells');
  expect(stderr).not.toMatch(/--once nov --(decimal-comma|skip-invalid)/u);
  expect(await amounts()).toEqual([]);
});

test('--asset and --amount stand for columns that the file does not have', async () => {
  const path = file(`id,to_address\na,${ada}\nb,${bob}\n`);
  const { code, stderr } = await operator.run(pay(path, '--asset', 'SOL', '--amount', '0.25'));
  expect(code, stderr).toBe(0);
  expect(await amounts()).toEqual(['0.25', '0.25']);
  const another = await operator.run(pay(path, '--asset', 'SOL', '--amount', '0.5'));
  expect(another).toMatchObject({ code: 6 });
  expect(await amounts()).toHaveLength(2);
});

test('the export of a batch has the columns of its file as columns', async () => {
  await operator.run(pay(file(german), '--decimal-comma'));
  const { stdout } = await operator.run(['history', '--batch', 'nov', '--format', 'csv']);
  const [head = '', first = ''] = stdout.split('\n');
  expect(head).toMatch(/^settled_at,.*,fee,paid_again,Kostenstelle$/u);
  expect(first).toMatch(/,4711$/u);
  const whole = await operator.run(['history', '--format', 'csv']);
  expect(whole.stdout).toMatch(/^settled_at,.*,fee,paid_again,columns\n/u);
  const lines = await operator.run(['history', '--batch', 'nov', '--format', 'jsonl']);
  expect(jsonLines(lines.stdout)).toMatchObject([{ columns: { Kostenstelle: '4711' } }, {}]);
});

/** What is typed until all is paid, as someone does who reads what went wrong. */
describe('a file as a spreadsheet exports it is paid with two commands', () => {
  const columns = ['--column', 'id=Rechnungsnr.', '--column', 'memo=Verwendungszweck'];
  const exports = {
    german: [
      `\ufeffRechnungsnr.;Name;to_address;asset;amount;Verwendungszweck\r
RE-1;Ada Müller;${ada};USDC;1.234,50;November\r
RE-2;"Groß; Söhne";${bob};SOL;0,75;\r
;;;;;\r
`,
      ['--decimal-comma', ...columns],
      ['0.75', '1234.5'],
    ],
    american: [
      `"Invoice ID","To Address","Asset","Amount","Memo"\r
"A-1","${ada}","USDC","1,234.50","rent, ""late"""\r
"A-2","${bob}","SOL","20.00",""\r
`,
      ['--column', 'id=Invoice ID'],
      ['1234.5', '20'],
    ],
  } as const;

  test.each(Object.entries(exports))('%s', async (_what, [text, options, paid]) => {
    const path = file(text);
    const first = await operator.run(pay(path));
    expect(first.code).toBe(2);
    for (const option of options) if (option.startsWith('--')) expect(first.stderr).toContain(option);
    const { code, stderr } = await operator.run(pay(path, ...options));
    expect(code, stderr).toBe(0);
    expect(await amounts()).toEqual([...paid].sort());
  });
});

describe('the columns of a file', () => {
  test.each([
    ['csv', `id,to_address,asset,amount,Name,note\na,${ada},SOL,1,Ada,for November\n`],
    [
      'jsonl',
      `{"id":"a","to_address":"${ada}","asset":"SOL","amount":"1","Name":"Ada","note":"for November"}\n`,
    ],
  ])('that botctl does not know are kept and never sent (%s)', async (format, text) => {
    const path = operator.home.file(`a.${format}`, text);
    const report = join(operator.home.path, 'report.csv');
    const ran = await operator.run(pay(path, '--report', report, '--json'));
    expect(ran.code).toBe(0);
    const [row, end] = jsonLines(ran.stdout);
    const columns = { Name: 'Ada', note: 'for November' };
    expect(row).toMatchObject({ entry: { columns, request: { to_address: ada, amount: '1' } } });
    expect(end).toMatchObject({ columns: ['Name', 'note'] });
    expect(JSON.stringify(await operator.sandbox.ledger())).not.toContain('November');
    expect(readFileSync(report, 'utf8')).toMatch(
      /^id,.*,Name,note,state,entry,result,error,time\n.*,Ada,for November,done,.*\n$/u,
    );
    // The key is that of the row without them.
    const plain = operator.home.file('plain.csv', `id,to_address,asset,amount\na,${ada},SOL,1\n`);
    expect((await operator.run(pay(plain))).stdout).toContain('1 of them earlier');
    const listed = await operator.run(['history']);
    expect(listed.stdout).toContain('[nov a Ada · for November]');
    const { entry } = row as { entry: { id: string } };
    expect((await operator.run(['history', entry.id])).stdout).toMatch(/For +Ada · for November/u);
    const exported = await operator.run(['history', '--format', 'jsonl']);
    expect(jsonLines(exported.stdout)[0]).toMatchObject({ columns });
    expect((await operator.run(['history', '--format', 'csv'])).stdout).toContain('for November');
  });

  test('are no formula in a report or an export, whatever separates the cells', async () => {
    const path = file(`id,to_address,asset,amount,x;＝y\na,${ada},SOL,1,x;=1+1;y\nb,${bob},SOL,1,＝1+1\n`);
    const report = join(operator.home.path, 'report.csv');
    expect((await operator.run(pay(path, '--report', report))).code).toBe(0);
    const said = readFileSync(report, 'utf8');
    const last = said.split('\n').map((line) => line.split(',').at(-6));
    expect(last).toEqual([`"x;'＝y"`, `"x;'=1+1;y"`, "'＝1+1", undefined]);
    const { stdout } = await operator.run(['history', '--format', 'csv']);
    expect(stdout.split(/[,;\t\n]/u).filter((cell) => /^["\s]*[=＝]/u.test(cell))).toEqual([]);
  });

  test.each([
    ['id', 'does not name a column'],
    ['id=', 'does not name a column'],
    ['name=Name', 'does not name a column'],
    ['id=Memo', 'cannot be combined with --column memo=memo'],
    ['memo=x', 'cannot be combined with --column memo=memo'],
  ])('are not named by --column %s', async (column, says) => {
    const ran = await operator.run(pay('no.csv', '--column', 'memo=memo', '--column', column));
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
  });

  test('may be long and hostile: a name of 10,000 characters is bounded and escaped where it is shown', async () => {
    const name = `A\u202e\u001b[31m${'x'.repeat(10_000)}`;
    const path = file(`id,to_address,asset,amount,name\na,${ada},SOL,1,"${name}"\n`);
    expect((await operator.run(pay(path))).code).toBe(0);
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
    const csv = operator.home.file('m.csv', 'conversation_id,First Name,note\nconv_demo,Ada,x\n');
    const ran = await operator.run(['batch', 'send', csv, '--once', 'hi', '--template', '-', '--json'], {
      stdin: 'Hi {{first_name}}!',
    });
    expect(ran.code).toBe(0);
    const [row, end] = jsonLines(ran.stdout);
    expect(row).toMatchObject({
      entry: { request: { content: 'Hi Ada!' }, columns: { 'First Name': 'Ada', note: 'x' } },
    });
    expect(end).toMatchObject({ columns: ['note'] });
  });
});
