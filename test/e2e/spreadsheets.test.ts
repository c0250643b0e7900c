import { readFileSync } from 'node:fs';
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

  test('is offered --decimal-comma, and nobody is offered to pay the whole amounts alone', async () => {
    const mixed = file(`id;to_address;asset;amount\na;${ada};SOL;1,5\nb;${bob};SOL;2\n`);
    const { stderr } = await operator.run(pay(mixed));
    expect(stderr).toContain('1 of 2 rows');
    expect(stderr).toContain('--once nov --decimal-comma');
    expect(stderr).not.toContain('--skip-invalid');
    const { stderr: other } = await operator.run(
      pay(file(`id;to_address;asset;amount\na;${ada};SOL;1,5\nb;${bob};SOL;2.5\n`)),
    );
    expect(other).toContain('--skip-invalid');
    expect(other).not.toContain('--once nov --decimal-comma');
  });

  test.each([
    ['1.5', 'has a dot'],
    ['kein Betrag', 'has a space'],
    ['Summe', 'is not digits'],
  ])('with --decimal-comma does not pay %s', async (amount, said) => {
    const { code, stderr } = await operator.run(
      pay(file(`id;to_address;asset;amount\na;${ada};SOL;${amount}\n`), '--decimal-comma'),
    );
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`amount "${amount}" ${said}`),
    });
    expect(await amounts()).toEqual([]);
  });
});

describe('--decimal-comma is refused where commas divide the cells', () => {
  const unquoted = `id,to_address,asset,amount,memo\na,${ada},SOL,1,5\n`;
  const quoted = `id,to_address,asset,amount\na,${ada},SOL,"1,5"\n`;

  test.each([
    ['an amount that takes two cells', unquoted],
    ['an amount in quotes', quoted],
  ])('%s', async (_what, csv) => {
    const { code, stderr } = await operator.run(pay(file(csv), '--decimal-comma'));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('divides its cells by commas'),
    });
    expect(stderr).toContain('Nothing was sent');
    expect(await amounts()).toEqual([]);
  });

  test('and is not offered there', async () => {
    const { code, stderr } = await operator.run(pay(file(`${quoted}b,${bob},SOL,2\n`)));
    expect(code).toBe(2);
    expect(stderr).toContain('If 1,5 means one and a half in this file, save it with ; between its cells');
    expect(stderr).not.toMatch(/--once nov --(decimal-comma|skip-invalid)/u);
  });
});

describe('sol is SOL', () => {
  test('in a file, in an option and in a payload, and the row is the same row', async () => {
    const ended = await operator.run(pay(file(`id,to_address,asset,amount\na,${ada},Sol,0.5\n`)));
    expect(ended.code, ended.stderr).toBe(0);
    const again = await operator.run(pay(file(`id,to_address,amount\na,${ada},0.5\n`), '--asset', 'sol'));
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('1 of them earlier') });
    const rent = ['transfer', '--once', 'rent', '--yes'];
    const paid = await operator.run([...rent, '--to', bob, '--amount', '0.25', '--asset', 'sol']);
    expect(paid.code, paid.stderr).toBe(0);
    const payload = operator.home.file(
      'rent.json',
      JSON.stringify({ to_address: bob, amount: '0.25', asset: 'sOl' }),
    );
    expect((await operator.run([...rent, '--payload', payload])).code).toBe(0);
    const ledger = await operator.sandbox.ledger();
    expect(ledger.map(({ request }) => request.asset)).toEqual(['SOL', 'SOL']);
  });

  test('also in a policy, and under its limits', async () => {
    const limits = { SOL: { transfer: '1' } };
    for (const [asset, written] of [
      ['sol', limits],
      ['SOL', { sol: limits.SOL }],
    ] as const) {
      const policy = operator.home.file(
        'policy.json',
        JSON.stringify({ schema: 'botctl-policy/1', limits: written }),
      );
      const env = { BOTCTL_POLICY: policy };
      const words = [
        'transfer',
        '--to',
        ada,
        '--asset',
        asset,
        '--amount',
        '1.5',
        '--once',
        `x${asset}`,
        '--yes',
      ];
      const { code, stderr } = await operator.run(words, { env });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/at most 1 sol per transfer/iu),
      });
    }
    expect(await amounts()).toEqual([]);
  });
});

describe('--asset and --amount', () => {
  test('stand for columns that the file does not have', async () => {
    const path = file(`id,to_address\na,${ada}\nb,${bob}\n`);
    const { code, stderr } = await operator.run(pay(path, '--asset', 'SOL', '--amount', '0.25'));
    expect(code, stderr).toBe(0);
    expect(await amounts()).toEqual(['0.25', '0.25']);
    const another = await operator.run(pay(path, '--asset', 'SOL', '--amount', '0.5'));
    expect(another).toMatchObject({ code: 6 });
    expect(await amounts()).toHaveLength(2);
  });
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
  const [carol, dave] = ['3DTwLLsVLHcLNbcsxEovJ5FhKVdAYVfuh4YNcbQbzqmD', bob];
  const exports = {
    german: [
      `\ufeffRechnungsnr.;Name;to_address;asset;amount;Verwendungszweck\r
RE-1;Ada Müller;${ada};USDC;1.234,50;November\r
RE-2;"Groß; Söhne";${dave};SOL;0,75;\r
;;;;;\r
`,
      ['--decimal-comma', ...columns],
      ['0.75', '1234.5'],
    ],
    american: [
      `"Invoice ID","To Address","Asset","Amount","Memo"\r
"A-1","${ada}","USDC","1,234.50","rent, ""late"""\r
"A-2","${dave}","SOL","20.00",""\r
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

  test('after all of its faults were mended at once', async () => {
    const faulty = `Invoice ID,to_address,asset,amount,note
1,${ada.slice(0, -2)},SOL,"1,234.50",
2,${bob},sol,"1,234",
2,${bob},SOL,"1,5"
3,"${ada},SOL,1,
4,${carol},SOL,1e3,x
5,11111111111111111111111111111111,SOL,-1,x
`;
    const { code, stderr } = await operator.run(pay(file(faulty), '--column', 'id=Invoice ID'));
    expect(code).toBe(2);
    for (const said of [
      `line 2 (id 1): to_address "${ada.slice(0, -2)}" is`,
      'line 3 (id 2): amount "1,234" has a comma',
      'line 4 (id 2): the row has 4 cells',
      'line 5: the row is not CSV',
      'line 6 (id 4): amount "1e3" has an exponent',
      'line 7 (id 5): amount "-1" has a sign',
      'line 7 (id 5): to_address "11111111111111111111111111111111" is the system program',
      'id "2" is given twice',
    ])
      expect(stderr).toContain(said);
    expect(stderr).not.toContain('note');
    const mended = `id,to_address,asset,amount,note\n1,${ada},SOL,1,\n2,${bob},SOL,2,\n`;
    expect(await operator.run(pay(file(mended)))).toMatchObject({ code: 0 });
    expect(await amounts()).toEqual(['1', '2']);
  });

  test('its faults are said once each, with a count and the first three cells as they stand', async () => {
    const cells = ['"$1,901.03"', '"$20.00"', '$3', '$4', '#REF!'];
    const rows = cells.map((amount, nth) => `${nth},${ada},SOL,${amount}`);
    const { code, stderr } = await operator.run(
      pay(file(`id,to_address,asset,amount\n${rows.join('\n')}\n`)),
    );
    expect(code).toBe(2);
    for (const said of [
      '4 rows (lines 2 "$1,901.03", 3 "$20.00", 4 "$3", and 1 more): amount has a currency sign',
      'line 6 (id 4): amount "#REF!" is an error of the spreadsheet',
    ])
      expect(stderr).toContain(said);
    expect(await amounts()).toEqual([]);
  });
});
