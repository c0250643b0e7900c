import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRecords, delimiterOf } from '../../src/batch/csv.ts';

const read = (text: string, delimiter = ',') => [...csvRecords(text, delimiter)];

test('rows have the line they begin on, also after newlines in cells', () => {
  for (const newline of ['\n', '\r\n', '\r'])
    expect(read(['a,b', '1,"one', 'two, ""three"""', '', '2,x'].join(newline))).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', `one${newline}two, "three"`] },
      { line: 5, cells: ['2', 'x'] },
    ]);
});

test('line ends may be mixed, and the last cell may be empty', () => {
  expect(read('a\r\nb\rc,\n,')).toEqual([
    { line: 1, cells: ['a'] },
    { line: 2, cells: ['b'] },
    { line: 3, cells: ['c', ''] },
  ]);
});

test.each([
  ['a quote that never ends', '"x,1'],
  ['a quote within a cell', 'x"y,1'],
  ['a text behind a quote', '"x"y,1'],
])('%s is no CSV, and hides nothing below it', (_what, row) => {
  expect(read(`a,b\n${row}\nc,d\n`)).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: undefined },
    { line: 3, cells: ['c', 'd'] },
  ]);
});

test('what is written as CSV is read as it was, and as others read it', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'ä') });
  const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
  fc.assert(
    fc.property(
      table,
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
      (rows, by, newline) => {
        const quoted = (one: string): string => `"${one.replaceAll('"', '""')}"`;
        const text = rows.map((cells) => cells.map(quoted).join(by)).join(newline);
        const whole = rows.filter((cells) => cells.some((one) => one.trim() !== ''));
        expect(read(text, by).map(({ cells }) => cells)).toEqual(whole);
      },
    ),
  );
});

describe('cells are divided', () => {
  const known = (title: string): boolean => ['id', 'amount'].includes(title);
  test.each([
    ['id,amount', ','],
    ['id;amount;a, b and c, and d', ';'],
    ['id\tamount', '\t'],
    ['"id";"amount"', ';'],
    ['Rechnung;Betrag', ';'],
    ['one', ','],
    ['', ','],
  ])('%j', (header, delimiter) => {
    expect(delimiterOf(`${header}\n1`, known)).toBe(delimiter);
  });
});
