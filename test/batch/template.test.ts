import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readRows } from '../../src/batch/readRows.ts';
import { Template } from '../../src/batch/template.ts';
import { failureOf } from '../../testing/failure.ts';

const parse = (text: string): Template => Template.parse(text, 'hello.txt');
const row = (fields: Record<string, unknown>, columns = {}) => ({ line: 2, fields, columns });

describe('a template', () => {
  test('puts the cells of a row into its places, once, and leaves out what only it needs', () => {
    const filled = parse('Hi {{first name}}, {{ amount }}! {{id}}').fill(
      row({ id: 'r1', conversation_id: 'c' }, { First_Name: '{{id}} $&', amount: '3' }),
    );
    const columns = { First_Name: '{{id}} $&', amount: '3' };
    expect(filled).toEqual(row({ id: 'r1', conversation_id: 'c', content: 'Hi {{id}} $&, 3! r1' }, columns));
  });

  test('complains of a row without a value for each of its places, and of one that has its own content', () => {
    const filled = parse('{{a}} {{b}}').fill(row({ id: 'r1', content: 'x' }, { a: '' }));
    expect(filled).toMatchObject({ line: 2, id: 'r1' });
    const template = { field: 'content', rule: 'template' };
    expect('complaints' in filled && filled.complaints).toEqual([
      { ...template, value: { column: 'a', source: 'hello.txt', at: { line: 1, place: 1 } } },
      { ...template, value: { column: 'b', source: 'hello.txt', at: { line: 1, place: 7 } } },
      { ...template, value: 'given' },
    ]);
  });

  test('asks a header for its columns instead of the content', () => {
    const { known, needed } = parse('{{name}}').header();
    expect(needed).toEqual(['conversation_id', 'name']);
    expect(known).not.toContain('content');
  });

  test('whose place names no column of the file says which, where, and what columns there are', async () => {
    const bytes = Readable.from([Buffer.from('id;conversation_id;name\nr1;c;Ada\n')]);
    const input = { path: 'people.csv', stdin: bytes, interrupted: new AbortController().signal };
    const template = parse('Hi {{name}},\nthe {{ last name }} of {{id}}');
    const rows = readRows({ ...input, path: '-' }, 'message', { template });
    const failure = await failureOf(async () => {
      for await (const _row of rows);
    });
    expect(failure).toMatchObject({
      code: 'bad-file',
      message: 'The template hello.txt, line 2, column 5, uses {{last name}}, but stdin has no such column.',
      details: { hint: expect.stringContaining('stdin has the columns "id", "conversation_id", "name".') },
    });
  });

  test.each([
    ['{{', 'template-brace'],
    ['a }} b', 'template-brace'],
    ['{{a}', 'template-brace'],
    ['{{}}', 'template-column'],
    ['{{components}}', 'template-column'],
    ['{{content}}', 'template-column'],
    ['{{a\u200b}}', 'template-column'],
  ])('%j is none', (text, kind) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ kind, code: 'bad-file' }));
  });
});
