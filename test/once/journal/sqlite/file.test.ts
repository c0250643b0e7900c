import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../../src/once/failures.ts';
import { openFile } from '../../../../src/once/journal/file/opening.ts';
import { openJournal } from '../../../../src/once/journal/file/openJournal.ts';
import { lossToAccept } from '../../../../src/once/journal/file/upkeep.ts';
import { failureOf, linesOf } from '../../../support/failure.ts';
import {
  allOf,
  countStates,
  done,
  inHand,
  newEntry,
  newFolder,
  newPath,
  nowMs,
  opened,
} from '../../../support/journals.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** A journal that was used, as it is found after a restart: all of it in its one file. */
async function usedJournal(entries = 3): Promise<string> {
  const path = newPath();
  const journal = openJournal(path);
  await journal.commit(async (tx) => {
    for (let nth = 0; nth < entries; nth += 1) await done(tx, nth % 2 === 0 ? 'accepted' : 'unknown');
  });
  await journal.close();
  const database = new DatabaseSync(path);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const found = join(newFolder(), 'journal.db');
  copyFileSync(path, found);
  copyFileSync(`${path}.note`, `${found}.note`);
  chmodSync(found, 0o600);
  mkdirSync(`${found}.owners`, { mode: 0o700 });
  return found;
}

/** The locks that this process has on a file, as Linux lists them. */
function locksOn(path: string): string[] {
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(path).ino} `))
    .map((line) => line.replace(/^\d+: /u, ''));
}

async function refusal(path: string): Promise<Failure> {
  return failureOf(() => openJournal(path).close());
}

describe('a new journal', () => {
  test('is its user’s alone, with all that stands beside it', async () => {
    const path = newPath();
    const umask = process.umask(0);
    try {
      const journal = opened(path);
      await done(journal, 'accepted');
      const folder = dirname(path);
      expect(modeOf(folder)).toBe(0o700);
      expect(modeOf(`${path}.owners`)).toBe(0o700);
      const files = readdirSync(folder, { recursive: true }).map(String);
      expect(files).toEqual(
        expect.arrayContaining(['journal.db', 'journal.db-wal', 'journal.db-shm', 'journal.db.owners']),
      );
      const open = files.filter((file) => (modeOf(join(folder, file)) & 0o077) !== 0);
      expect(open).toEqual([]);
    } finally {
      process.umask(umask);
    }
  });

  test('leaves no owner behind when it is closed', async () => {
    const path = newPath();
    const journal = inHand(openJournal(path));
    await done(journal, 'accepted');
    await journal.close();
    await journal.close();
    expect(readdirSync(`${path}.owners`)).toEqual([]);
  });

  test.each(['new', 'opened again'])(
    'is written durably, with a short log, and runs nothing that its schema names: %s',
    async (which) => {
      const { database } = openFile(which === 'new' ? newPath() : await usedJournal());
      const settings = {
        ...{ journal_mode: 'wal', synchronous: 2, foreign_keys: 1 },
        ...{ trusted_schema: 0, wal_autocheckpoint: 4000 },
      };
      for (const [name, value] of Object.entries(settings))
        expect(database.prepare(`PRAGMA ${name}`).get()).toEqual({ [name]: value });
      database.close();
    },
  );

  test.runIf(process.platform === 'linux').each(['new', 'opened again'])(
    'keeps its locks while the same process opens it a second time: %s',
    async (which) => {
      const path = which === 'new' ? newPath() : await usedJournal();
      const first = openFile(path);
      const locks = locksOn(path);
      const second = openFile(path);
      expect(locks).not.toEqual([]);
      expect(locksOn(path)).toEqual(expect.arrayContaining(locks));
      for (const { database } of [second, first]) database.close();
    },
  );

  test.each([0o644, 0o601])('that others could use is closed to them: %i', async (mode) => {
    const path = await usedJournal();
    chmodSync(path, mode);
    opened(path);
    expect(modeOf(path)).toBe(0o600);
  });

  test('may begin as an empty file', async () => {
    const path = join(newFolder(), 'journal.db');
    writeFileSync(path, '');
    await done(opened(path), 'accepted');
    expect(modeOf(path)).toBe(0o600);
  });
});

describe('what is no journal of this botctl is refused, and left unchanged', () => {
  async function untouched(path: string): Promise<Failure> {
    const before = readFileSync(path);
    const { mode, mtimeMs } = statSync(path);
    const beside = readdirSync(dirname(path)).sort();
    const failure = await refusal(path);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(path)).toMatchObject({ mode, mtimeMs });
    expect(readdirSync(dirname(path)).sort()).toEqual(beside);
    return failure;
  }

  test('one of a newer botctl', async () => {
    const path = await usedJournal();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    const failure = await untouched(path);
    expect(failure.code).toBe('journal-schema');
    expect(failure.message).toContain('journal version 99');
  });

  describe.each([1, 2, 1_000_010])('one of another edition, of version %i', (version) => {
    async function made(end: string): Promise<string> {
      const path = await usedJournal();
      const left = join(newFolder(), 'journal.db');
      const database = new DatabaseSync(path);
      database.exec(`PRAGMA user_version = ${version}; ${end}`);
      for (const suffix of ['', '-wal', '.note']) copyFileSync(`${path}${suffix}`, `${left}${suffix}`);
      database.close();
      if (statSync(`${left}-wal`).size === 0) rmSync(`${left}-wal`);
      return left;
    }

    const other = expect.objectContaining({ kind: 'other-version', code: 'journal-schema' });

    test('all of it in its one file', async () => {
      const path = await made('PRAGMA wal_checkpoint(TRUNCATE)');
      const failure = await untouched(path);
      expect(failure.code).toBe('journal-schema');
      expect(failure.message).toContain('this botctl needs version');
      expect(() => lossToAccept(path)).toThrow(other);
    });

    test('a database of another program that was killed while it wrote, with what would undo that', async () => {
      const made = join(newFolder(), 'other.db');
      const database = new DatabaseSync(made);
      database.exec(`PRAGMA cache_size = 1; CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(20000));
      BEGIN; UPDATE t SET x = randomblob(20000); INSERT INTO t VALUES (randomblob(90000));`);
      const path = join(newFolder(), 'other.db');
      for (const suffix of ['', '-journal']) copyFileSync(`${made}${suffix}`, `${path}${suffix}`);
      database.close();
      const undo = readFileSync(`${path}-journal`);
      await untouched(path);
      expect(readFileSync(`${path}-journal`).equals(undo)).toBe(true);
    });

    test('with what makes it one in its log', async () => {
      const path = await made('');
      const [before, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
      expect((await refusal(path)).code).toBe('journal-schema');
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
    });
  });

  test.each(['wal', 'delete'])('a database of another program, in %s mode', async (mode) => {
    const path = join(newFolder(), 'other.db');
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (x); INSERT INTO t VALUES (1);`);
    database.close();
    chmodSync(path, 0o644);
    expect((await untouched(path)).code).toBe('journal-damaged');
  });

  test.each<[string, string | Buffer]>([
    ['a text', 'dear diary,\n'.repeat(1000)],
    ['a short text', 'x'],
    ['15 bytes of a database', 'SQLite format 3'],
    ['nothing but zeros', Buffer.alloc(8192)],
    ['a header and zeros', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8176)])],
    ['a header and noise', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8176, 0xa5)])],
  ])('%s', async (_what, content) => {
    const path = join(newFolder(), 'journal.db');
    writeFileSync(path, content, { mode: 0o644 });
    expect((await untouched(path)).code).toBe('journal-damaged');
  });
});

describe('a damaged journal is said to be damaged, with what to do, and never overwritten', () => {
  test.each([1, 100, 511, 1000, 4096, 8192, 12_288, 20_000])('cut off after %i bytes', async (length) => {
    const path = await usedJournal(50);
    truncateSync(path, length);
    const before = readFileSync(path);
    const failure = await failureOf(async () => {
      const journal = opened(path);
      for await (const { id } of journal.select({ limit: 1000 })) await journal.attemptsOf(id);
      await journal.begin(newEntry(), 'h', nowMs);
    });
    expect(failure.code).toBe('journal-damaged');
    expect(linesOf(failure)[0]).toContain(`mv ${path} ${path}.damaged`);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('links that lead round are refused', async () => {
    const link = join(newFolder(), 'link.db');
    symlinkSync(link, link);
    expect((await refusal(link)).message).toContain('is a symbolic link');
  });

  test('with flipped bits it works or says so; nothing else happens to it', async () => {
    const used = await usedJournal(50);
    const original = readFileSync(used);
    // The whole header, then a place in each page.
    const places = Array.from({ length: 100 }, (_, at) => at);
    for (let at = 100; at < original.length; at += 1777) places.push(at);
    const folder = newFolder();
    const codes = new Set<string>();
    for (const [nth, at] of places.entries()) {
      const path = join(folder, `${nth}.db`);
      const bytes = Buffer.from(original);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (nth % 8)), at);
      writeFileSync(path, bytes);
      copyFileSync(`${used}.note`, `${path}.note`);
      try {
        const journal = openJournal(path);
        try {
          for await (const { id } of journal.reads.select({ limit: 1000 }))
            await journal.reads.attemptsOf(id);
          codes.add('works');
        } finally {
          await journal.close();
        }
      } catch (error) {
        codes.add(`${(error as Failure).code}`);
        if (!/^journal-/u.test((error as Failure).code)) throw error;
        expect(readFileSync(path).equals(bytes), `byte ${at}`).toBe(true);
      }
    }
    expect(codes).toContain('works');
    expect(codes).toContain('journal-damaged');
    expect(
      [...codes].filter((code) => !/^(works|journal-(damaged|schema|lost|not-writable))$/u.test(code)),
    ).toEqual([]);
  });
});

const isRoot = process.getuid?.() === 0;

/** A small disk of its own for one test, where this machine lets us have one. */
function smallDisk(size = '512k'): { path: string; readOnly(): void; remove(): void } | undefined {
  if (!isRoot || process.platform !== 'linux') return undefined;
  const path = newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return {
    path,
    readOnly: () => execFileSync('mount', ['-o', 'remount,ro', path]),
    remove: () => execFileSync('umount', ['-l', path]),
  };
}

describe('a journal that cannot be written', () => {
  test.each<[string, (folder: string) => string]>([
    [
      'a file where its folder should be',
      (folder) => {
        writeFileSync(join(folder, 'data'), 'x');
        return join(folder, 'data', 'journal.db');
      },
    ],
    ['a path too long', (folder) => join(folder, 'x'.repeat(300))],
  ])('%s', async (_what, pathIn) => {
    expect((await refusal(pathIn(newFolder()))).code).toBe('journal-not-writable');
  });

  test.skipIf(isRoot)('a folder that only others may write to (skipped for root, who may)', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'data'), { mode: 0o500 });
    expect((await refusal(join(folder, 'data', 'journal.db'))).code).toBe('journal-not-writable');
  });

  test('a disk that is full (skipped where none can be mounted)', async ({ skip }) => {
    const disk = smallDisk();
    if (disk === undefined) return skip('no disk can be mounted: not root, or not allowed');
    try {
      const path = join(disk.path, 'journal.db');
      const journal = inHand(openJournal(path));
      const body = Buffer.alloc(16_384, 'x');
      const begun: string[] = [];
      const full = await failureOf(async () => {
        for (let nth = 0; nth < 100; nth += 1) {
          const entry = newEntry({ body });
          await journal.begin(entry, 'h', nowMs);
          begun.push(entry.id);
        }
      });
      expect(full.code).toBe('journal-not-writable');
      expect(begun.length).toBeGreaterThan(2);
      // What was said to be written is there; what was not is not; and it can still be read.
      expect((await allOf(journal.select({ limit: 1000 }))).map(({ id }) => id).sort()).toEqual(begun);
      await journal.close();
    } finally {
      disk.remove();
    }
  });

  // SQLite had rolled back by itself; that there was nothing more to roll back was taken for damage.
  test('a disk that is too small to make it on (skipped where none can be mounted)', async ({ skip }) => {
    for (const size of ['60k', '80k', '100k', '112k']) {
      const disk = smallDisk(size);
      if (disk === undefined) return skip('no disk can be mounted: not root, or not allowed');
      try {
        expect((await refusal(join(disk.path, 'journal.db'))).code).toBe('journal-not-writable');
        execFileSync('mount', ['-o', 'remount,size=1m', disk.path]);
        await openJournal(join(disk.path, 'journal.db')).close();
      } finally {
        disk.remove();
      }
    }
  });

  test('a disk that can only be read (skipped where none can be mounted)', async ({ skip }) => {
    const disk = smallDisk();
    if (disk === undefined) return skip('no disk can be mounted: not root, or not allowed');
    try {
      const path = join(disk.path, 'journal.db');
      copyFileSync(await usedJournal(), path);
      disk.readOnly();
      expect((await refusal(path)).code).toBe('journal-not-writable');
      expect((await refusal(join(disk.path, 'new.db'))).code).toBe('journal-not-writable');
    } finally {
      disk.remove();
    }
  });

  test('one whose owners’ folder cannot be made', async () => {
    const path = newPath();
    const journal = opened(path);
    writeFileSync(`${path}.owners`, 'x');
    for (const work of [
      () => journal.self(),
      () => journal.begin(newEntry(), 'h', nowMs),
      () => journal.commit((tx) => tx.begin(newEntry(), 'h', nowMs)),
    ]) {
      expect((await failureOf(work)).code).toBe('journal-not-writable');
    }
    expect(existsSync(path)).toBe(true);
  });
});

test('the log beside a journal is folded by who closes it', async () => {
  const path = newPath();
  const [first, last] = [inHand(openJournal(path)), inHand(openJournal(path))];
  for (let nth = 0; nth < 60; nth += 1) await done(first, 'accepted');
  await first.close();
  expect(statSync(`${path}-wal`).size).toBe(0);
  await done(last, 'accepted');
  await last.close();
  expect(statSync(`${path}-wal`).size).toBe(0);
  expect(await countStates(opened(path))).toEqual({ accepted: 61 });
});
