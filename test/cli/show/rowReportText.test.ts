import { expect, test } from 'vitest';
import { reportFormatOf } from '../../../src/cli/commands/batch/options.ts';
import { csvLine } from '../../../src/cli/show/text.ts';
import { failureOf } from '../../support/failure.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@x', "'@x"],
  ['\tx', '"\'\tx"'],
  ['a=b', 'a=b'],
  ['a,b', '"a,b"'],
  ['=a,"b"', '"\'=a,""b"""'],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠x', "'＠x"],
  ['\t=x', '"\'\t\'=x"'],
  ['\rx', '"\'\rx"'],
  [' =1+1', " '=1+1"],
  ['x;=1+1;y', '"x;\'=1+1;y"'],
  ['x; ＝1+1', '"x; \'＝1+1"'],
  ['x;"=1+1"', '"x;""\'=1+1"""'],
  ['x|@y', '"x|\'@y"'],
  ['x\n-1', '"x\n\'-1"'],
  ['one; two', '"one; two"'],
  ['a-b, c=d', '"a-b, c=d"'],
  ['a\nb', '"a\nb"'],
])('%j in a cell is %j', (text, cell) => {
  expect(csvLine([text, 1])).toBe(`${cell},1\n`);
});

test.each([
  ['r.csv', 'csv'],
  ['R.CSV', 'csv'],
  ['r.jsonl', 'jsonl'],
  ['r.ndjson', 'jsonl'],
])('%s is %s', (path, format) => {
  expect(reportFormatOf(path)).toBe(format);
});

test('another ending is refused', async () => {
  expect((await failureOf(() => reportFormatOf('r.xlsx'))).code).toBe('usage');
});
