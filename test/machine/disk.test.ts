import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder } from '../../src/machine/disk.ts';
import { diskTrouble } from '../../src/once/phrases.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-disk-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function troubleWith(path: string): string {
  try {
    makeFolder(path);
  } catch (error) {
    return diskTrouble(error);
  }
  return 'none';
}

describe('a folder', () => {
  test('is made with those above it, all of them private', () => {
    expect(makeFolder(join(folder, 'a/b/c'))).toBe(true);
    for (const made of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, made)).mode & 0o777).toBe(0o700);
  });

  test('that is there is left unchanged', () => {
    mkdirSync(join(folder, 'open'), { mode: 0o755 });
    expect(makeFolder(join(folder, 'open'))).toBe(false);
    expect(statSync(join(folder, 'open')).mode & 0o777).toBe(0o755);
  });

  test.skipIf(!existsSync('/proc/self'))('under /proc is refused at once, where Node never ends', () => {
    expect(troubleWith('/proc/none/of/these')).toBe(
      'the folder /proc/none cannot be created: no folder can be created there',
    );
  });

  test('below a file is refused', () => {
    writeFileSync(join(folder, 'file'), '');
    for (const path of ['file', 'file/a', 'file/a/b'])
      expect(troubleWith(join(folder, path))).toBe(`${folder}/file is not a folder`);
  });

  test('in the place of a link that leads nowhere is refused', () => {
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
    expect(troubleWith(join(folder, 'link'))).toContain('a broken symbolic link has its name');
  });
});

test.each([
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
])('%s is said in words', (code, words) => {
  expect(diskTrouble(Object.assign(new Error(`${code}: raw`), { code }))).toBe(words);
});

test('and so is what SQLite says of the disk', () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' });
  expect(diskTrouble(full)).toBe('the disk is full');
});

test('what has no words keeps its own', () => {
  expect(diskTrouble(new Error('odd'))).toBe('odd');
  expect(diskTrouble('odd')).toBe('odd');
});
