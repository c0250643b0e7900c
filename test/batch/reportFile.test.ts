import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { csvRecords } from '../../src/batch/csv.ts';
import { ReportFile, type RowReport } from '../../src/batch/report.ts';
import { reportText } from '../../src/cli/commands/batch/options.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-report-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = '2026-11-25T09:00:00.000Z';
const earlier = 'id,state,entry,result,error,time\n';
const never = new AbortController().signal;
const told: readonly RowReport[] = [
  {
    id: 'a',
    written: { amount: '1.5', asset: 'SOL', to_address: 'ada', id: 'a' },
    columns: { state: 'CA' },
    state: 'done',
    entry: 'e1',
    result: 'sig',
    error: undefined,
    atMs: Date.parse(at),
  },
  {
    id: undefined,
    written: {},
    columns: undefined,
    state: 'invalid',
    entry: undefined,
    result: undefined,
    error: 'no, "this"\nis bad',
    atMs: undefined,
  },
];
const file = { fields: ['id', 'to_address', 'asset', 'amount'], columns: ['state'], delimiter: ',' };

async function* rowsOf(reports: readonly RowReport[]): AsyncIterable<RowReport> {
  yield* reports;
}

test('a CSV report reads back, with a column that is called like one of ours', async () => {
  const report = await ReportFile.begin(join(folder, 'r.csv'));
  expect(await report.finish(reportText('csv', file), rowsOf(told), never)).toBe(true);
  await report.close();
  const read = [...csvRecords(readFileSync(join(folder, 'r.csv'), 'utf8'), ',')];
  expect(read.map(({ cells }) => cells)).toEqual([
    ['id', 'to_address', 'asset', 'amount', 'file state', 'state', 'entry', 'result', 'error', 'time'],
    ['a', 'ada', 'SOL', '1.5', 'CA', 'done', 'e1', 'sig', '', at],
    ['', '', '', '', '', 'invalid', '', '', 'no, "this"\\nis bad', ''],
  ]);
  expect(readdirSync(folder)).toEqual(['r.csv']);
});

test('a JSON Lines report leaves out what has no value', async () => {
  const report = await ReportFile.begin(join(folder, 'r.jsonl'));
  await report.finish(reportText('jsonl', file), rowsOf(told), never);
  await report.close();
  const lines = readFileSync(join(folder, 'r.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      ...{ id: 'a', to_address: 'ada', asset: 'SOL', amount: '1.5', columns: { state: 'CA' } },
      ...{ state: 'done', entry: 'e1', result: 'sig', time: at },
    },
    { state: 'invalid', error: 'no, "this"\\nis bad' },
  ]);
});

test('an earlier report stays until the new one is whole', async () => {
  const path = join(folder, 'r.csv');
  writeFileSync(path, earlier);
  const given = await ReportFile.begin(path);
  expect(readFileSync(path, 'utf8')).toBe(earlier);
  await given.close();
  expect(readFileSync(path, 'utf8')).toBe(earlier);
  expect(readdirSync(folder)).toEqual(['r.csv']);
});

test('a report that cannot be written is known before anything is sent', async () => {
  const path = join(folder, 'none', 'r.csv');
  await expect(ReportFile.begin(path)).rejects.toMatchObject({
    room: 'batch',
    kind: 'report-not-begun',
    code: 'machine-fault',
    fields: { path, trouble: { code: 'ENOENT' } },
  });
  expect(existsSync(join(folder, 'none'))).toBe(false);
});

test('an earlier report keeps its mode', async () => {
  const path = join(folder, 'r.csv');
  writeFileSync(path, earlier);
  chmodSync(path, 0o644);
  const report = await ReportFile.begin(path);
  await report.finish(reportText('csv', file), rowsOf([]), never);
  await report.close();
  expect(readFileSync(path, 'utf8')).toMatch(/^id,to_address,/u);
  expect(statSync(path).mode & 0o777).toBe(0o644);
});

test.each<[string, string, (path: string) => void]>([
  ['a folder', 'report-not-a-file', (path) => mkdirSync(path)],
  ['a named pipe', 'report-not-a-file', (path) => void execFileSync('mkfifo', [path])],
  ['a broken link', 'report-link', (path) => symlinkSync('nowhere', path)],
  ['a link to a device', 'report-link', (path) => symlinkSync('/dev/null', path)],
])('%s is not replaced by a report', async (_what, kind, make) => {
  const path = join(folder, 'r.csv');
  make(path);
  const before = lstatSync(path);
  await expect(ReportFile.begin(path)).rejects.toMatchObject({ kind, code: 'bad-file', fields: { path } });
  expect(lstatSync(path)).toMatchObject({ mode: before.mode, ino: before.ino });
  expect(readdirSync(folder)).toEqual(['r.csv']);
});
