import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { RawRow } from '../../src/batch/checkRow.ts';
import { readRows } from '../../src/batch/readRows.ts';
import type { Kind } from '../../src/once/intent/wanted.ts';
import { failureOf } from '../../testing/failure.ts';

const interrupted = new AbortController().signal;

async function read(text: string, kind: Kind = 'message'): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  const stdin = Readable.from([...Buffer.from(text)].map((byte) => Buffer.from([byte])));
  for await (const row of readRows({ path: '-', stdin, interrupted }, kind)) rows.push(row);
  return rows;
}

const row = (line: number, fields: Record<string, unknown>): RawRow => ({ line, fields });

describe('CSV', () => {
  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('rows have the line they begin on, also after newlines in cells (%s)', async (_name, newline) => {
    const text = ['\ufeffid,conversation_id,content', 'a,c,"one', 'two, ""three"""', '', 'b,c,x'].join(
      newline,
    );
    expect(await read(text)).toEqual([
      row(2, { id: 'a', conversation_id: 'c', content: `one${newline}two, "three"` }),
      row(5, { id: 'b', conversation_id: 'c', content: 'x' }),
    ]);
  });

  test('line ends may be mixed', async () => {
    expect(await read('conversation_id,content\r\nc,x\nc,y\r\n')).toEqual([
      row(2, { conversation_id: 'c', content: 'x' }),
      row(3, { conversation_id: 'c', content: 'y' }),
    ]);
  });

  test('empty cells are absent, and blanks are kept', async () => {
    expect(await read('id,conversation_id,content\n,c, x \n')).toEqual([
      row(2, { conversation_id: 'c', content: ' x ' }),
    ]);
  });

  test('buttons are JSON', async () => {
    const [one, two] = await read(
      'conversation_id,content,buttons\nc,x,"[{""label"":""Yes""}]"\nc,x,[yes]\n',
    );
    expect(one).toEqual(row(2, { conversation_id: 'c', content: 'x', buttons: [{ label: 'Yes' }] }));
    expect(two).toMatchObject({ line: 3, complaints: [{ field: 'buttons', rule: 'json' }] });
  });

  test('a row with other cells than the header is complained of with its id', async () => {
    expect(await read('id,conversation_id,content\na,c\nb,c,x,y\n')).toMatchObject([
      { line: 2, id: 'a', complaints: [{ rule: 'header-length', value: { header: 3, cells: 2 } }] },
      { line: 3, id: 'b', complaints: [{ rule: 'header-length', value: { header: 3, cells: 4 } }] },
    ]);
  });

  test.each([
    ['a column given twice', 'content,conversation_id,content\n', 'names columns twice: "content"'],
    ['a missing column', 'id,content\n', 'lacks: "conversation_id"'],
    ['bars between its cells', 'id|conversation_id|content\n', 'has unknown columns'],
    ['nothing at all', '', 'is empty'],
    ['a quote that never ends', 'conversation_id,content\nc,"x\n', 'not CSV'],
    ['a quote within a cell', 'conversation_id,content\nc,x"y\n', 'not CSV'],
  ])('%s is refused', async (_what, text, problem) => {
    const failure = await failureOf(() => read(text));
    expect(failure.code).toBe('bad-file');
    expect(failure.message).toContain(problem);
  });

  test.each([
    ['semicolons', 'conversation_id;content\nc1;one, and two; '],
    ['tabs', 'conversation_id\tcontent\nc1\tone, and two; '],
    ['quoted semicolons', '"conversation_id";"content"\nc1;"one, and two; "'],
    ['commas', 'conversation_id,content\nc1,"one, and two; "'],
  ])('cells may be divided by %s, as their header is', async (_what, text) => {
    const [row] = await read(text.replace(/; $/u, '\n').replace('two; "', 'two"'));
    expect(row).toEqual({ line: 2, fields: { conversation_id: 'c1', content: 'one, and two' } });
  });

  test('a transfer’s header needs an id', async () => {
    await expect(read('to_address,asset,amount\n', 'transfer')).rejects.toMatchObject({
      kind: 'bad-header',
      fields: { unknown: [], twice: [], missing: ['id'] },
    });
  });
});

describe('JSON Lines', () => {
  test('an object a line; blank lines are skipped, and counted', async () => {
    expect(await read(' {"id":"a"}\r\n\n{"id":"b","content":"ä\\n"}')).toEqual([
      row(1, { id: 'a' }),
      row(3, { id: 'b', content: 'ä\n' }),
    ]);
  });

  test.each([
    ['a key given twice', '{"id":"a","id":"b"}'],
    ['an array', '[]'],
    ['a trailing comma', '{"id":"a",}'],
    ['a comment', '{"id":"a"} // x'],
    ['two objects', '{} {}'],
  ])('%s is complained of', async (_what, text) => {
    expect(await read(`{}\n${text}`)).toMatchObject([
      { line: 1 },
      { line: 2, complaints: [{ field: undefined, rule: 'object' }] },
    ]);
  });
});

test('a file that cannot be read says why', async () => {
  const rows = readRows({ path: '/nowhere/rows.csv', stdin: Readable.from([]), interrupted }, 'message');
  const failure = await failureOf(() => rows.next());
  expect(failure.message).toContain('/nowhere/rows.csv cannot be read');
});
