import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ended } from '../support/botctl.ts';
import { programLine } from '../support/program.ts';
import { root } from '../support/root.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

test('the help, what a person reads when all went well, and what a send does on the disk and on the wire, are as they were', async () => {
  const words = ['scripts/run.mjs', 'test/golden/main', '--only', 'help,success,tracesFile'];
  const played = await ended(process.execPath, words, { env: process.env, cwd: root });
  expect(played.stdout).toBe('');
  expect(played.code, played.stderr).toBe(0);
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

test.skipIf(!hasStrace)(
  'a first command on a disk that is full for one write says so, and the next one sends',
  async () => {
    const operator = await SandboxHome.open();
    try {
      for (let nth = 1; nth <= 4; nth += 1) {
        const full = ['-f', '-o', '/dev/null', '-e', `inject=pwrite64:error=ENOSPC:when=${nth}`];
        const place = ['--journal', join(operator.home.path, String(nth), 'journal.db')];
        const words = [...programLine, ...payAda, '--once', `a${nth}`, '--yes', '--json', ...place];
        const first = await ended('strace', [...full, ...words], { env: operator.env });
        expect([first.code, first.stdout]).toEqual([1, expect.stringContaining('journal-not-writable')]);
        expect(await ended(String(words[0]), words.slice(1), { env: operator.env })).toMatchObject({
          code: 0,
        });
      }
    } finally {
      await operator.close();
    }
  },
);

test.skipIf(!hasStrace)(
  'a first command that is killed before its set-up is done keeps none from sending',
  async () => {
    const operator = await SandboxHome.open();
    try {
      const killed = ['-f', '-o', '/dev/null', '-e', 'inject=unlink:signal=KILL:when=1'];
      const words = [...programLine, ...payAda, '--once', 'a', '--yes'];
      await ended('strace', [...killed, ...words], { env: operator.env });
      expect(existsSync(`${operator.journal}-journal`)).toBe(true);
      expect(await ended(String(words[0]), words.slice(1), { env: operator.env })).toMatchObject({ code: 0 });
    } finally {
      await operator.close();
    }
  },
);
