// What is wrong with a row of a batch, as a person reads it: each rule that only rows have.
import { expect, test } from 'vitest';
import { complainOfRow, type RowComplaint } from '../../../src/batch/facts.ts';
import { rowSentences } from '../../../src/cli/say/intent.ts';
import { complain } from '../../../src/once/intent/facts.ts';

const idRule = '(it must be text of at most 512 bytes that no other row has)';
const badId = (is: 'not-text' | 'empty' | 'too-long'): RowComplaint =>
  complainOfRow('id', 'id', { mostBytes: 512, is });
const hidden = { is: 'hidden', codePoint: 0x200b, position: 2 } as const;
const at = { line: 1, place: 7 };
const buttons =
  '(it must be a JSON array of buttons like {"label":"Yes","custom_id":"yes","style":"success"}, or of rows of them)';

test.each<[RowComplaint, string]>([
  [
    complainOfRow(undefined, 'object', { is: 'key-twice', key: 'id', line: 1, column: 11 }),
    'the row cannot be used: the key "id" is given twice in one object, at column 11 (it must be there once)',
  ],
  [
    complainOfRow(undefined, 'object', 'other-json'),
    'the row is JSON, but not an object (it must be one JSON object)',
  ],
  [
    complainOfRow(undefined, 'header-length', { header: 3, cells: 1 }),
    'the row has 1 cell (it must be as long as the header: 3 cells)',
  ],
  [
    complainOfRow('buttons', 'json', { is: 'not-json', line: 1, column: 1 }),
    'buttons is not JSON (it must be JSON)',
  ],
  [badId('not-text'), `id is not a string ${idRule}`],
  [badId('empty'), `id is empty ${idRule}`],
  [badId('too-long'), `id is too long ${idRule}`],
  [
    complainOfRow('id', 'id', { mostBytes: 512, is: hidden }),
    `id has U+200B, which is invisible (character 2) ${idRule}`,
  ],
  [
    complainOfRow('id', 'own-id', { alsoOfLine: 3 }),
    'id is also used on line 3 (it must be different in each row)',
  ],
  [
    complainOfRow('idempotency_key', 'no-key', 'given'),
    'idempotency_key is given (it must be absent: a row’s key comes from --once and its id)',
  ],
  [
    complainOfRow('buttons', 'no-buttons', 'given'),
    'buttons is given too (it must be absent if components is given)',
  ],
  [complainOfRow('buttons', 'buttons', 'other'), `buttons is not an array of buttons ${buttons}`],
  [
    complainOfRow('content', 'template', { column: 'b', source: 'hello.txt', at }),
    'content has no value for {{b}} (hello.txt, line 1, column 7) in this row (it must be made by --template alone)',
  ],
  [
    complainOfRow('content', 'template', 'given'),
    'content is also given by the row (it must be made by --template alone)',
  ],
  [complain('id', 'given', 'missing'), 'id is missing'],
])('%j', (complaint, text) => {
  expect(rowSentences([complaint])).toBe(text);
});

test('the first few are told, and how many more there are', () => {
  const many = Array.from({ length: 7 }, () => badId('empty'));
  expect(rowSentences(many)).toBe(
    `${Array.from({ length: 5 }, () => `id is empty ${idRule}`).join('; ')}; and 2 more problems`,
  );
});
