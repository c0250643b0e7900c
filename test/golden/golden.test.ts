import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { simpleLine } from '../../golden/words.ts';
import { ended } from '../../testing/botctl.ts';
import { programLine } from '../../testing/program.ts';
import { root } from '../../testing/root.ts';
import { payAda, SandboxHome } from '../../testing/sandboxHome.ts';

describe('golden files', () => {
  test('of the help and of what a send does on the disk and on the wire are as they were', async () => {
    const words = ['scripts/run.mjs', 'golden/main', '--only', 'help,tracesFile'];
    const played = await ended(process.execPath, words, { env: process.env, cwd: root });
    expect(played.stdout).toBe('');
    expect(played.code, played.stderr).toBe(0);
  });
});

describe('a line of a golden file', () => {
  test.each([
    ['botctl send --content "a b" --to $ADA', ['send', '--content', 'a b', '--to', 'x']],
    [`V=1 botctl send 'it''s' <<< "in"`, ['send', 'its']],
    ['botctl send | cat', undefined],
    ['cat file', undefined],
    ['botctl send "$(date)"', undefined],
  ])('%s', (line, argv) => {
    expect(simpleLine(line, { ADA: 'x' })?.argv).toEqual(argv);
  });
});

const hasStrace = spawnSync('strace', ['-V']).status === 0;

test.skipIf(!hasStrace)('the disk has the journal’s log before the service gets a byte', async () => {
  const operator = await SandboxHome.open();
  const folder = mkdtempSync(join(tmpdir(), 'botctl-strace-'));
  try {
    const log = join(folder, 'log');
    const calls = 'trace=openat,fdatasync,fsync,pwrite64,write,writev,sendto,connect';
    const watched = [
      '-f',
      '-y',
      '-s',
      '60',
      '-e',
      calls,
      '-o',
      log,
      ...programLine,
      ...payAda,
      '--once',
      'a',
      '--yes',
    ];
    expect(await ended('strace', watched, { env: operator.env })).toMatchObject({ code: 0 });
    const lines = readFileSync(log, 'utf8').split('\n');
    const request = lines.findIndex((line) => /(?:write|writev|sendto)\(.*POST \/api/u.test(line));
    const before = lines.slice(0, request);
    const written = before.findLastIndex((line) => /pwrite64\(\d+<[^>]*journal\.db-wal>/u.test(line));
    const synced = before.findLastIndex((line) => /f(?:data)?sync\(\d+<[^>]*journal\.db-wal>/u.test(line));
    expect(request).toBeGreaterThan(0);
    expect(written).toBeGreaterThan(0);
    expect(synced).toBeGreaterThan(written);
  } finally {
    rmSync(folder, { recursive: true });
    await operator.close();
  }
});
