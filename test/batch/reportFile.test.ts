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
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReportFile, type RowReport } from '../../src/batch/report.ts';
import { reportText } from '../../src/cli/commands/batch/options.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-report-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = '2026-11-25T09:00:00.000Z';
const never = new AbortController().signal;
const told: readonly RowReport[] = [
  {
    line: 2,
    id: 'a',
    request: JSON.stringify({ amount: '1.5', asset: 'SOL', to_address: 'ada' }),
    outcome: 'accepted',
    result: 'sig',
    transferId: 'tr_1',
    error: undefined,
    key: 'k1',
    atMs: Date.parse(at),
  },
  {
    line: 4,
    id: undefined,
    request: undefined,
    outcome: 'invalid',
    result: undefined,
    transferId: undefined,
    error: 'no, "this"\nis bad',
    key: undefined,
    atMs: undefined,
  },
];

async function* rowsOf(reports: readonly RowReport[]): AsyncIterable<RowReport> {
  yield* reports;
}

test('a CSV report reads back', async () => {
  const file = await ReportFile.begin(join(folder, 'r.csv'));
  expect(await file.finish(reportText('csv', 'transfer'), rowsOf(told), never)).toBe(true);
  await file.close();
  expect(parse(readFileSync(join(folder, 'r.csv')), { columns: true })).toEqual([
    {
      ...{ line: '2', id: 'a', to_address: 'ada', asset: 'SOL', amount: '1.5', outcome: 'accepted' },
      ...{ signature: 'sig', transfer_id: 'tr_1', error: '', key: 'k1', time: at },
    },
    {
      ...{ line: '4', id: '', to_address: '', asset: '', amount: '', outcome: 'invalid' },
      ...{ signature: '', transfer_id: '', error: 'no, "this"\\nis bad', key: '', time: '' },
    },
  ]);
  expect(readdirSync(folder)).toEqual(['r.csv']);
});

test('a JSON Lines report leaves out what has no value', async () => {
  const file = await ReportFile.begin(join(folder, 'r.jsonl'));
  await file.finish(reportText('jsonl', 'message'), rowsOf(told), never);
  await file.close();
  const lines = readFileSync(join(folder, 'r.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { line: 2, id: 'a', outcome: 'accepted', message_id: 'sig', key: 'k1', time: at },
    { line: 4, outcome: 'invalid', error: 'no, "this"\\nis bad' },
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
  writeFileSync(path, 'earlier');
  chmodSync(path, 0o644);
  const file = await ReportFile.begin(path);
  await file.finish(reportText('csv', 'message'), rowsOf([]), never);
  await file.close();
  expect(readFileSync(path, 'utf8')).toMatch(/^line,/u);
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
