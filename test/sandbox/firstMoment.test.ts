import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { closeDatabase, type Database } from '../../src/sandbox/database.ts';
import { buildModule } from '../support/builtModule.ts';

const folder = mkdtempSync(join(tmpdir(), 'botctl-first-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// All at the same moment: without that they take turns, and nothing is shown.
const opening = (href: string, beginsAt: number): string => `
  import { openDatabase } from ${JSON.stringify(href)};
  let filled = 0;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let nth = 0; nth < 24; nth += 1) {
    const at = ${beginsAt} + nth * 25;
    Atomics.wait(sleeper, 0, 0, Math.max(0, at - 2 - Date.now()));
    while (Date.now() < at);
    openDatabase(${JSON.stringify(folder)} + '/' + nth, 15_000, () => { filled += 1; }).close();
  }
  console.log(filled);`;

test('processes that make a data folder at the same moment all get it, filled once', async () => {
  const { href, remove } = await buildModule('src/sandbox/database.ts');
  const beginsAt = Date.now() + 500;
  const program = ['--input-type=module', '-e', opening(href, beginsAt)];
  try {
    const runs = await Promise.all(
      [1, 2, 3, 4].map(() => promisify(execFile)(process.execPath, program, { encoding: 'utf8' })),
    );
    expect(runs.reduce((sum, { stdout }) => sum + Number(stdout), 0)).toBe(24);
  } finally {
    remove();
  }
});

// On a disk that is full the outcome of the command stood on stdout, and its exit code said that it had failed.
test('a data folder whose log cannot be tidied up is closed all the same', () => {
  const done: string[] = [];
  const full: Pick<Database, 'exec' | 'close'> = {
    exec: () => {
      throw new Error('database or disk is full');
    },
    close: () => void done.push('closed'),
  };
  closeDatabase(full as Database);
  expect(done).toEqual(['closed']);
});
