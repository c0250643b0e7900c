import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { takeLock } from '../../../../src/machine/fileLock.ts';
import { Failure } from '../../../../src/once/failures.ts';
import { ProcessOwners, resolveLinks } from '../../../../src/once/journal/file/ownFiles.ts';

vi.mock('../../../../src/machine/fileLock.ts', async (original) => {
  const real = await original<typeof import('../../../../src/machine/fileLock.ts')>();
  return { ...real, takeLock: vi.fn(real.takeLock) };
});

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'botctl-owners-')));
});
afterEach(() => {
  vi.mocked(takeLock).mockReset();
  rmSync(folder, { recursive: true, force: true });
});

// The proof made fcntl fail with EINTR, which SQLite calls busy: botctl called it a bug of its own.
test('a lock call that is interrupted is made again', () => {
  vi.mocked(takeLock).mockImplementationOnce((path) => {
    writeFileSync(path, '');
    return undefined;
  });
  const owners = new ProcessOwners(join(folder, 'journal.db'));
  const name = owners.self();
  expect(readdirSync(join(folder, 'journal.db.owners'))).toEqual([name]);
  owners.close();
});

test('a disk that takes no locks is named, and is no bug', () => {
  vi.mocked(takeLock).mockReturnValue(undefined);
  const owners = new ProcessOwners(join(folder, 'journal.db'));
  const failed = (() => {
    try {
      return owners.self();
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(failed).toBeInstanceOf(Failure);
  expect(failed).toMatchObject({ code: 'journal-not-writable' });
});

test('a dead owner leaves nothing behind', () => {
  const owners = new ProcessOwners(join(folder, 'journal.db'));
  owners.self();
  writeFileSync(join(folder, 'journal.db.owners', 'dead'), '');
  owners.forget('dead');
  owners.close();
  expect(readdirSync(join(folder, 'journal.db.owners'))).toEqual([]);
});

test('a journal’s path is followed through every link, whether its file is there or not', () => {
  const real = join(folder, 'real');
  mkdirSync(real);
  symlinkSync(real, join(folder, 'linked'));
  symlinkSync('two', join(folder, 'one'));
  symlinkSync('real/journal.db', join(folder, 'two'));
  symlinkSync('circle', join(folder, 'circle'));
  const file = join(real, 'journal.db');
  const names = ['linked/journal.db', 'one', 'two'].map((name) => join(folder, name));
  expect(resolveLinks(join(folder, 'one'))).toBe(file);
  writeFileSync(file, '');
  for (const name of names) expect(resolveLinks(name)).toBe(file);
  expect(resolveLinks(join(folder, 'circle'))).toBe(join(folder, 'circle'));
});

test('forty links, as many as Linux follows, lead to a file that is not there yet', () => {
  for (let nth = 1; nth <= 40; nth += 1) symlinkSync(`link-${nth - 1}`, join(folder, `link-${nth}`));
  expect(resolveLinks(join(folder, 'link-40'))).toBe(join(folder, 'link-0'));
});
