import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Recipients } from '../../src/batch/checkRow.ts';
import type { ReadOptions } from '../../src/batch/columns.ts';
import { type ReadFile, type Reading, readRows } from '../../src/batch/read.ts';
import type { Kind } from '../../src/once/entry/wanted.ts';
import { failureOf } from '../support/failure.ts';
import { recipient } from '../support/sandbox.ts';

const interrupted = new AbortController().signal;

function readingOf(kind: Kind, mending: ReadOptions = {}): Reading {
  return {
    kind,
    mending,
    recipients: new Recipients('wallets', undefined),
    inWords: (complaints) =>
      complaints.map(({ field, rule, value }) => `${field} ${rule} ${JSON.stringify(value)}`).join('; '),
  };
}

function read(text: string | Buffer, kind: Kind = 'message', mending: ReadOptions = {}): Promise<ReadFile> {
  const stdin = Readable.from([...Buffer.from(text)].map((byte) => Buffer.from([byte])));
  return readRows({ path: '-', stdin, interrupted }, readingOf(kind, mending));
}

async function requests(text: string): Promise<unknown[]> {
  const { rows } = await read(text);
  return rows.map((row) => ('wanted' in row ? [row.line, row.id, row.wanted.request] : row.problem));
}

describe('CSV', () => {
  test('empty cells are absent, blanks are kept, and a mark of UTF-8 is no text', async () => {
    expect(await requests('\ufeffid,conversation_id,content\n,c, x \n')).toEqual([
      [2, undefined, { conversation_id: 'c', content: ' x ' }],
    ]);
  });

  test.each(['\ufeffa', 'a\ufeff', 'a\u2003'])(
    'an id with a character at its end that is no plain blank is refused, not repaired (%j)',
    async (id) => {
      const [problem] = await requests(`conversation_id,id,content\nc,"${id}",x\n`);
      expect(problem).toContain('id ');
    },
  );

  test('buttons are JSON', async () => {
    const [one, two] = await requests(
      'conversation_id,content,buttons\nc,x,"[{""label"":""Yes"",""id"":""y""}]"\nc,x,[yes]\n',
    );
    expect(one).toMatchObject([2, undefined, { components: [{ components: [{ custom_id: 'y' }] }] }]);
    expect(two).toContain('buttons json');
  });

  test('a row with more or fewer cells than the header is refused, with its id', async () => {
    const { rows } = await read(`id,to_address,asset,amount\na,${recipient},SOL,1,5\nb,x\n`, 'transfer');
    const problem = (cells: number) => `undefined header-length {"header":4,"cells":${cells}}`;
    expect(rows).toMatchObject([
      { line: 2, id: 'a', problem: problem(5) },
      { line: 3, id: 'b', problem: problem(2) },
    ]);
  });

  test('a header with a quote that does not match is refused', async () => {
    await expect(read('id,"x\n1,2\n')).rejects.toMatchObject({ kind: 'not-csv', code: 'bad-file' });
  });

  test('more than 250,000 rows are refused', async () => {
    const stdin = Readable.from([Buffer.from(`content\n${'x\n'.repeat(250_001)}`)]);
    await expect(readRows({ path: '-', stdin, interrupted }, readingOf('message'))).rejects.toMatchObject({
      kind: 'too-many-rows',
      code: 'bad-file',
    });
  });
});

describe('JSON Lines', () => {
  test('an object a line; blank lines are skipped, and counted', async () => {
    const whole = '"conversation_id":"c","content":"ä\\n"';
    expect(await requests(` {"id":"a",${whole}}\r\n\n{"id":"b",${whole}}`)).toEqual([
      [1, 'a', { conversation_id: 'c', content: 'ä\n' }],
      [3, 'b', { conversation_id: 'c', content: 'ä\n' }],
    ]);
  });

  test.each([
    ['a key given twice', '{"id":"a","id":"b"}'],
    ['an array', '[]'],
    ['a trailing comma', '{"id":"a",}'],
    ['a comment', '{"id":"a"} // x'],
    ['two objects', '{} {}'],
  ])('%s is complained of', async (_what, text) => {
    expect((await requests(`{}\n${text}`))[1]).toContain('undefined object');
  });
});

describe('all that is wrong is found at once', () => {
  test('in every row and every field, and counted by its cause', async () => {
    const { bad, lackingFields, rows } = await read(
      `id,to_address,amount,idempotency_key
a,${recipient},"1,5",
a,${recipient.slice(1)},-1,k
b,"x
c,${recipient},1
`,
      'transfer',
    );
    expect(lackingFields).toEqual(['asset']);
    expect(rows.every((row) => 'problem' in row)).toBe(true);
    expect(
      bad.causes.map(({ reason, rows, first }) => [reason, rows, first.map(({ line }) => line)]),
    ).toEqual(
      expect.arrayContaining([
        ['id own-id {"id":"a"}', 2, [2, 3]],
        ['asset given "missing"', 2, [2, 3]],
        ['amount amount "comma"', 1, [2]],
        ['amount amount "sign"', 1, [3]],
        ['idempotency_key no-key "given"', 1, [3]],
        ['undefined quotes "unmatched"', 1, [4]],
        ['undefined header-length {"header":4,"cells":3}', 1, [5]],
      ]),
    );
  });

  test('and a field that no row has is named, with the columns that may be meant', async () => {
    const { lackingFields, columns } = await read(
      `Invoice ID;to_address;asset;amount\n1;x;SOL;1\n2;x;SOL;1;5\n`,
      'transfer',
    );
    expect({ lackingFields, columns }).toEqual({ lackingFields: ['id'], columns: ['Invoice ID'] });
  });
});

describe('--column', () => {
  const called = { id: 'Invoice ID', memo: 'id' };
  test.each([
    `invoice_id,to_address,asset,amount,id\n1,${recipient},SOL,2,for you\n`,
    `{"Invoice ID":"1","to_address":"${recipient}","asset":"SOL","amount":"2","id":"for you"}\n`,
  ])('names what the file calls a field, and what it calls so is no other: %.10s', async (text) => {
    const { rows } = await read(text, 'transfer', { called });
    expect(rows).toMatchObject([{ id: '1', wanted: { request: { memo: 'for you', amount: '2' } } }]);
  });
});

describe('amounts', () => {
  const amountsOf = async (amount: string, decimalComma: boolean): Promise<unknown> => {
    const row = { id: 'a', to_address: recipient, asset: 'SOL', amount };
    const { rows } = await read(JSON.stringify(row), 'transfer', { decimalComma });
    return rows.map((one) => ('wanted' in one ? one.wanted.request : one.problem));
  };
  test.each([
    ['1,234.50', false, '1234.5'],
    ['1,234,567', false, '1234567'],
    ['1,234,567.25', false, '1234567.25'],
    ['1.234', false, '1.234'],
    ['1,5', true, '1.5'],
    ['1,234', true, '1.234'],
    ['1.234,50', true, '1234.5'],
    ['1.234.567', true, '1234567'],
    ['1234', true, '1234'],
  ])('%s (decimal comma: %s) is %s', async (amount, decimalComma, is) => {
    expect(await amountsOf(amount, decimalComma)).toMatchObject([{ amount: is }]);
  });

  test.each([
    ['1,234', false],
    ['1,5', false],
    ['1.234,50', false],
    ['12,34.50', false],
    ['1,2345.50', false],
    ['0,123.50', false],
    ['1.234', true],
    ['1.5', true],
    ['1,234.50', true],
    ['1.23,50', true],
    ['1,2,3', true],
  ])('%s (decimal comma: %s) is refused', async (amount, decimalComma) => {
    expect(await amountsOf(amount, decimalComma)).toEqual([expect.stringMatching(/^amount /u)]);
  });

  test.each([
    ['1,5', true],
    ['1.234,50', true],
    ['1,234', false],
    ['1,5\n2.5', false],
    ['1.234,50\n0,25\n1.000', true],
    ['1,5\n1,234.50', false],
  ])('%j: has decimal commas: %s', async (amounts, has) => {
    const rows = amounts.split('\n').map((amount) => `{"amount":"${amount}"}`);
    expect((await read(rows.join('\n'), 'transfer')).hasCommas).toBe(has);
  });
});

describe('a file that is no text is refused', () => {
  test.each([
    ['a workbook', 'PK\x03\x04...', { kind: 'workbook' }],
    ['an old workbook', '\xd0\xcf\x11\xe0...', { kind: 'workbook' }],
    ['CP1252', 'id\n\n\xe4\n', { kind: 'not-utf8', fields: { line: 3, encoding: 'CP1252' } }],
    ['UTF-16', '\xff\xfei\0d\0', { kind: 'not-utf8', fields: { line: 1, encoding: 'UTF-16' } }],
  ])('%s', async (_what, text, failure) => {
    await expect(read(Buffer.from(text, 'latin1'))).rejects.toMatchObject({
      ...failure,
      code: 'bad-file',
    });
  });

  test('and one that cannot be read says why', async () => {
    const input = { path: '/nowhere/rows.csv', stdin: Readable.from([]), interrupted };
    const failure = await failureOf(() => readRows(input, readingOf('message')));
    expect(failure.message).toContain('/nowhere/rows.csv cannot be read');
  });
});

test('an interrupt ends the reading of rows that are all there already', async () => {
  const stop = new AbortController();
  async function* pieces(): AsyncGenerator<Buffer> {
    yield Buffer.from(`conversation_id,content\n${'c,x\n'.repeat(10_000)}`);
    setImmediate(() => setImmediate(() => stop.abort()));
  }
  const input = { path: '-', stdin: Readable.from(pieces()), interrupted: stop.signal };
  const reading = readRows(input, readingOf('message'));
  await expect(reading).rejects.toMatchObject({ kind: 'interrupted', code: 'interrupted' });
});
