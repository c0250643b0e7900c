import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isHeld, takeLock } from '../../src/machine/fileLock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const holderCode = `
  const { DatabaseSync } = require('@photostructure/sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec('BEGIN EXCLUSIVE');
  process.stdout.write('held');
  setInterval(() => {}, 1000);
`;

async function holder(path: string) {
  const child = spawn(process.execPath, ['-e', holderCode, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

describe('a lock that dies with its process', () => {
  test('a file that does not exist is not held', () => {
    expect(isHeld(join(folder, 'none'))).toBe(false);
  });

  test('is held while its process lives, also while that process is stopped, and free at once after kill -9', async () => {
    const path = join(folder, 'owner');
    const child = await holder(path);
    expect(isHeld(path)).toBe(true);
    child.kill('SIGSTOP');
    expect(isHeld(path)).toBe(true);
    expect(takeLock(path, 0)).toBeUndefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isHeld(path)).toBe(false);
  });

  test('that cannot be looked at is not taken for one that nobody holds', () => {
    const loop = join(folder, 'loop');
    symlinkSync('loop', loop);
    expect(() => isHeld(join(loop, 'owner'))).toThrow(/ELOOP/u);
  });

  test('is private to its user and can be taken again once released', () => {
    const path = join(folder, 'owner');
    takeLock(path, 0)?.release();
    const again = takeLock(path, 0);
    expect(again).toBeDefined();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    again?.release();
    expect(isHeld(path)).toBe(false);
  });
});
