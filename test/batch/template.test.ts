import { describe, expect, test } from 'vitest';
import { fieldNames } from '../../src/batch/columns.ts';
import { Template } from '../../src/batch/template.ts';

const parse = (text: string): Template => Template.parse(text, 'hello.txt');
const row = (fields: Record<string, unknown>, columns = {}) => ({
  ...{ line: 2, fields, written: fields },
  ...{ columns, complaints: [] },
});
const fields = fieldNames('message', { called: { id: 'Row No' } });

describe('a template', () => {
  test('puts the cells of a row into its places, once, and leaves out what only it needs', () => {
    const filled = parse('Hi {{first name}}, {{ amount }}! {{Row No}}').fill(
      row({ id: 'r1', conversation_id: 'c' }, { First_Name: '{{id}} $&', amount: '3' }),
      fields,
    );
    const columns = { First_Name: '{{id}} $&', amount: '3' };
    expect(filled).toEqual(row({ id: 'r1', conversation_id: 'c', content: 'Hi {{id}} $&, 3! r1' }, columns));
  });

  test('complains of a row without a value for each of its places, and of one that has its own content', () => {
    const filled = parse('{{a}} {{b}}').fill(row({ id: 'r1', content: 'x' }, { a: '' }), fields);
    const template = { field: 'content', rule: 'template' };
    expect(filled.complaints).toEqual([
      { ...template, value: { column: 'a', source: 'hello.txt', at: { line: 1, place: 1 } } },
      { ...template, value: { column: 'b', source: 'hello.txt', at: { line: 1, place: 7 } } },
      { ...template, value: 'given' },
    ]);
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
