import { describe, expect, test } from 'vitest';
import { Template } from '../../src/batch/template.ts';
import { failureOf } from '../../testing/failure.ts';

const parse = (text: string): Template => Template.parse(text, 'hello.txt');
const row = (fields: Record<string, unknown>) => ({ line: 2, fields });

describe('a template', () => {
  test('puts the cells of a row into its places, once, and leaves out what only it needs', () => {
    const filled = parse('Hi {{first name}}, {{ amount }}! {{id}}').fill(
      row({ id: 'r1', 'first name': '{{id}} $&', amount: 3, conversation_id: 'c' }),
    );
    expect(filled).toEqual(row({ id: 'r1', conversation_id: 'c', content: 'Hi {{id}} $&, 3! r1' }));
  });

  test('complains of a row without a value for each of its places, and of one that has its own content', () => {
    const filled = parse('{{a}} {{b}}').fill(row({ id: 'r1', a: '', content: 'x' }));
    expect(filled).toMatchObject({ line: 2, id: 'r1' });
    expect('complaints' in filled && filled.complaints).toHaveLength(3);
  });

  test('asks a header for its columns instead of the content', () => {
    const { known, needed } = parse('{{name}}').header();
    expect(needed).toEqual(['conversation_id', 'name']);
    expect(known).not.toContain('content');
  });

  test.each(['{{', 'a }} b', '{{a}', '{{}}', '{{components}}', '{{content}}', '{{a\u200b}}'])(
    '%j is none',
    async (text) => {
      expect(await failureOf(() => parse(text))).toMatchObject({ code: 'bad-file' });
    },
  );
});
