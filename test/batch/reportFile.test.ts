import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { csvLine, ReportFile, reportFormatOf, reportText } from '../../src/batch/reportFile.ts';
import type { RowReport } from '../../src/batch/rowReport.ts';
import { failureOf } from '../helpers/failure.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-report-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;
const same = (text: string): string => text;
const rows: RowReport[] = [
  { line: 2, id: 'a', outcome: 'accepted', result: 'sig', error: undefined, key: 'k1' },
  {
    line: 4,
    id: undefined,
    outcome: 'invalid',
    result: undefined,
    error: 'no, "this"\nis bad',
    key: undefined,
  },
];

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@x', "'@x"],
  ['\tx', "'\tx"],
  ['a=b', 'a=b'],
  ['a,b', '"a,b"'],
  ['=a,"b"', '"\'=a,""b"""'],
])('%j in a cell is %j', (text, cell) => {
  expect(csvLine([text, 1])).toBe(`${cell},1\n`);
});

test('a CSV report reads back', async () => {
  const file = await ReportFile.begin(join(folder, 'r.csv'));
  expect(await file.finish(reportText('csv', 'transfer', same), rows, never)).toBe(true);
  await file.close();
  expect(parse(readFileSync(join(folder, 'r.csv')), { columns: true })).toEqual([
    { line: '2', id: 'a', outcome: 'accepted', signature: 'sig', error: '', key: 'k1' },
    { line: '4', id: '', outcome: 'invalid', signature: '', error: 'no, "this"\nis bad', key: '' },
  ]);
  expect(readdirSync(folder)).toEqual(['r.csv']);
});

test('a JSON Lines report leaves out what has no value', async () => {
  const file = await ReportFile.begin(join(folder, 'r.jsonl'));
  await file.finish(reportText('jsonl', 'message', same), rows, never);
  await file.close();
  const lines = readFileSync(join(folder, 'r.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { line: 2, id: 'a', outcome: 'accepted', message_id: 'sig', key: 'k1' },
    { line: 4, outcome: 'invalid', error: 'no, "this"\nis bad' },
  ]);
});

test('an earlier report stays until the new one is whole', async () => {
  const path = join(folder, 'r.csv');
  writeFileSync(path, 'earlier');
  const given = await ReportFile.begin(path);
  expect(readFileSync(path, 'utf8')).toBe('earlier');
  await given.close();
  expect(readFileSync(path, 'utf8')).toBe('earlier');
  expect(readdirSync(folder)).toEqual(['r.csv']);
});

test('a report that cannot be written is known before anything is sent', async () => {
  const failure = await failureOf(() => ReportFile.begin(join(folder, 'none', 'r.csv')));
  expect(failure.code).toBe('machine-fault');
  expect(failure.message).toContain('Nothing was sent.');
  expect(existsSync(join(folder, 'none'))).toBe(false);
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
