import type * as fs from 'node:fs';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  type PathLike,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type backup as copyByPages, DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type * as locks from '../../../../src/machine/fileLock.ts';
import { lookAtJournal } from '../../../../src/once/journal/file/lookOnly.ts';
import { Mark } from '../../../../src/once/journal/file/mark.ts';
import { checkpoint, fitLog, openFile } from '../../../../src/once/journal/file/opening.ts';
import { openJournal } from '../../../../src/once/journal/file/openJournal.ts';
import {
  acceptLoss,
  backUp,
  diskKind,
  findLoss,
  writingTrouble,
} from '../../../../src/once/journal/file/upkeep.ts';
import { failureOf } from '../../../../testing/failure.ts';
import {
  countStates,
  done,
  newFolder,
  newIntent,
  newPath,
  nowMs,
  opened,
} from '../../../../testing/journals.ts';

type Disk = {
  synced: string[];
  opened: string[];
  statfs?: Partial<fs.StatsFs>;
  takes?: number;
  /** The file that lists the mounts, if there is one. */
  mounts?: string;
  isFull?: true;
  /** SQLite cannot even check it. */
  isBroken?: true;
  /** Copies in SQLite's place. */
  copy?: (target: string) => void;
  keepsNames?: true;
  /** Runs once while a lock is waited for. */
  meanwhile?: (() => void) | undefined;
  /** Runs once before a new file is made. */
  beforeMaking?: (() => void) | undefined;
  isLax?: true;
  /** What was asked of SQLite and of the disk, without an answer. */
  said: string[];
  connected: { readonly isReader: boolean; readonly database: DatabaseSyncInstance }[];
};
let disk: Disk;
beforeEach(() => {
  disk = { synced: [], opened: [], said: [], connected: [] };
});
afterEach(() => {
  disk = { synced: [], opened: [], said: [], connected: [] };
});

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const names = new Map<number, string>();
  return {
    ...real,
    openSync: (path: PathLike, ...rest: [number | string, number?]): number => {
      const { beforeMaking } = disk;
      if (rest[0] === 'wx') disk.beforeMaking = undefined;
      if (rest[0] === 'wx') beforeMaking?.();
      const file = real.openSync(path, ...rest);
      names.set(file, basename(String(path)));
      disk.opened.push(basename(String(path)));
      return file;
    },
    chmodSync: (path: PathLike, mode: number): void => {
      real.chmodSync(path, mode);
      disk.said.push('chmod');
    },
    fsyncSync: (file: number): void => {
      real.fsyncSync(file);
      disk.synced.push(names.get(file) ?? '');
    },
    statfsSync: (path: PathLike) => ({ ...real.statfsSync(path), ...disk.statfs }),
    writeSync: (file: number, bytes: Buffer, ...rest: number[]): number =>
      disk.takes ?? real.writeSync(file, bytes, ...rest),
    readFileSync: (path: PathLike, encoding: 'utf8') =>
      real.readFileSync(path === '/proc/self/mountinfo' ? (disk.mounts ?? '/no/proc') : path, encoding),
    renameSync: (from: string, to: string): void => {
      if (disk.keepsNames === undefined) real.renameSync(from, to);
    },
  };
});
vi.mock('../../../../src/machine/fileLock.ts', async (original) => {
  const real = await original<typeof locks>();
  const whileLocked: typeof locks.whileLocked = (path, waitMs, stillHeld, work) => {
    const { meanwhile } = disk;
    disk.meanwhile = undefined;
    meanwhile?.();
    return real.whileLocked(path, waitMs, stillHeld, work);
  };
  return { ...real, whileLocked };
});
vi.mock('@photostructure/sqlite', async (original) => {
  const real = await original<{ DatabaseSync: typeof DatabaseSync; backup: typeof copyByPages }>();
  // Some builds do not sync every commit unless they are told to; a lax one not even then.
  class Lax extends real.DatabaseSync {
    constructor(...given: ConstructorParameters<typeof DatabaseSync>) {
      super(...given);
      disk.connected.push({ isReader: given[1]?.readOnly === true, database: this });
      super.exec('PRAGMA synchronous = NORMAL');
    }
    override prepare(...given: Parameters<DatabaseSyncInstance['prepare']>) {
      if (disk.isBroken && given[0].includes('integrity_check')) throw new Error('cannot');
      return super.prepare(...given);
    }
    override exec(sql: string): void {
      disk.said.push(sql);
      if (disk.isFull && sql === 'COMMIT') {
        super.exec('ROLLBACK');
        throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
      }
      super.exec(disk.isLax ? sql.replaceAll('synchronous = FULL', 'synchronous = NORMAL') : sql);
    }
  }
  const backup: typeof copyByPages = async (database, target, options) => {
    await new Promise(setImmediate);
    if (disk.copy === undefined) return real.backup(database, target, options);
    disk.copy(String(target));
    return 0;
  };
  return { ...real, DatabaseSync: Lax, backup };
});

describe('a journal that is opened', () => {
  test('new, is on the disk with its mark before it is used', () => {
    expect(opened(newPath())).toMatchObject({ isReadOnly: false, lost: undefined, movedTo: undefined });
    expect(disk.synced).toEqual(['data', 'journal.db.mark.new', 'data']);
  });

  test('where commits are not made durable, is not used', () => {
    disk.isLax = true;
    const path = newPath();
    expect(() => openJournal(path)).toThrow(expect.objectContaining({ kind: 'not-durable' }));
    expect(lookAtJournal(path).syncsFully).toBe(false);
    disk = { synced: [], opened: [], said: [], connected: [] };
    expect(lookAtJournal(path).syncsFully).toBe(true);
  });

  test.each(['', '-wal', '.mark'])(
    'is in trouble once journal.db%s is not its own any more',
    async (suffix) => {
      const path = newPath();
      const journal = opened(path);
      const file = `${path}${suffix}`;
      const trouble = (how: string) => ({
        is: 'files',
        failure: { kind: 'taken-away', fields: { path: file, how } },
      });
      expect(journal.trouble()).toBeUndefined();
      copyFileSync(file, `${file}.copy`);
      rmSync(file);
      // After a commit it is looked again.
      await journal.commit(async () => undefined);
      expect(journal.trouble()).toMatchObject(trouble('gone'));
      await journal.commit(async () => undefined);
      copyFileSync(`${file}.copy`, file);
      expect(journal.trouble()).toMatchObject(trouble('replaced'));
    },
  );

  // To close the file by hand would drop the locks that this process has on it.
  test('again by the same process, is read through SQLite only', async () => {
    const path = newPath();
    await openJournal(path).close();
    opened(path);
    disk.opened = [];
    opened(path);
    expect(disk.opened).toEqual(['journal.db.mark']);
  });

  test('while another sets it up, is what that one made, and no other', async () => {
    const made = newPath();
    await done(opened(made), 'accepted');
    const path = join(newFolder(), 'journal.db');
    disk.meanwhile = () => {
      for (const suffix of ['', '-wal', '.mark']) copyFileSync(`${made}${suffix}`, `${path}${suffix}`);
    };
    expect(await countStates(opened(path))).toEqual({ accepted: 1 });
  });

  test('while a newer release sets it up, is refused', () => {
    const path = join(newFolder(), 'journal.db');
    const half = new DatabaseSync(path);
    half.exec('PRAGMA journal_mode = WAL; PRAGMA application_id = 0x62746a6c');
    disk.meanwhile = () => half.exec('PRAGMA user_version = 99');
    expect(() => openJournal(path)).toThrow(expect.objectContaining({ kind: 'newer' }));
    half.close();
  });

  test('has lost its mark where that does not come to its place', () => {
    disk.keepsNames = true;
    const path = newPath();
    const lost = (found: string) =>
      expect.objectContaining({ kind: 'lost', fields: { path, loss: { is: 'mark', found } } });
    expect(() => openJournal(path)).toThrow(lost('missing'));
    const other = newPath();
    disk.keepsNames = undefined as never;
    opened(other);
    copyFileSync(`${other}.mark`, `${path}.mark`);
    disk.keepsNames = true;
    expect(() => acceptLoss(path, 'w', nowMs)).toThrow(lost('anothers'));
  });

  test.each(['/a b/journal.db', '/a\\b/journal.db', '/plain/journal.db'])(
    'is refused where its file alone is mounted, as %s',
    async (place) => {
      const path = join(newFolder(), place);
      const octal = path.replaceAll('\\', '\\134').replaceAll(' ', '\\040');
      const mounted = expect.objectContaining({ kind: 'mounted-alone' });
      const mounts = `22 1 0:20 / /proc rw - proc proc rw\n23 1 8:1 /x ${octal} rw - ext4 /dev/sda rw\n`;
      const list = join(newFolder(), 'mountinfo');
      writeFileSync(list, mounts);
      disk.mounts = list;
      expect(() => openJournal(path)).toThrow(mounted);
      writeFileSync(list, '');
      await openJournal(path).close();
      rmSync(`${path}.mark`);
      writeFileSync(list, mounts);
      expect(() => openJournal(path)).toThrow(mounted);
      expect(() => acceptLoss(path, 'w', nowMs)).toThrow(mounted);
    },
  );
});

describe('a disk that is full at a commit', () => {
  test.each<[string, (path: string) => unknown]>([
    ['of a send', (path) => done(opened(path), 'accepted')],
    ['of a loss', (path) => acceptLoss(path, 'w', nowMs)],
    ['that makes a journal', () => openJournal(newPath())],
  ])('%s is told as that', async (_what, work) => {
    const path = newPath();
    await openJournal(path).close();
    disk.isFull = true;
    const failure = await failureOf(() => work(path));
    expect(failure.code).toBe('journal-not-writable');
    expect(failure.message).toContain('full');
    expect(disk.said).toContain('BEGIN IMMEDIATE');
  });
});

describe('a commit', () => {
  test('is synced, if nothing says that it need not be', async () => {
    const journal = opened();
    disk.said = [];
    await journal.commit(async () => undefined, { beforeSending: true });
    expect(disk.said).toEqual(['BEGIN IMMEDIATE', 'COMMIT']);
    disk.said = [];
    await journal.commit(async () => undefined, { unsynced: true });
    expect(disk.said).toEqual([
      'PRAGMA synchronous = NORMAL',
      ...['BEGIN IMMEDIATE', 'COMMIT'],
      'PRAGMA synchronous = FULL',
    ]);
  });

  test('is one of many from the fifty-first on: the log may grow longer, and is asked about every fifty', async () => {
    const path = newPath();
    const journal = openJournal(path);
    const grown: number[] = [];
    for (let nth = 1; nth <= 120; nth += 1) {
      disk.said = [];
      await journal.commit(async () => undefined);
      if (disk.said.some((sql) => sql.includes('wal_autocheckpoint'))) grown.push(nth);
    }
    expect(grown).toEqual([51, 101]);
    disk.said = [];
    await journal.close();
    expect(disk.said).toEqual(['PRAGMA wal_checkpoint(PASSIVE)']);
  });

  test('that was rolled back leaves nothing in the mark', async () => {
    const path = newPath();
    const journal = opened(path);
    const id = await done(journal, 'accepted');
    const failing = journal.commit(async (tx) => {
      await tx.begin(newIntent(), 'h', nowMs);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await journal.markReported(id, nowMs);
    expect(Mark.look(path)).toEqual({ intents: 1, attempts: 1, decisions: 0 });
  });
});

describe('a loss', () => {
  test('of one row of each kind is counted on above, and no damage', async () => {
    const path = newPath();
    const journal = opened(path);
    const decided = async (on: typeof journal): Promise<void> => {
      const id = await done(on, 'unknown');
      await on.decide(id, { kind: 'happened', who: 'w', atMs: nowMs, reason: 'r', signature: undefined });
    };
    await decided(journal);
    const left = join(newFolder(), 'journal.db');
    copyFileSync(path, left);
    copyFileSync(`${path}-wal`, `${left}-wal`);
    await decided(journal);
    copyFileSync(`${path}.mark`, `${left}.mark`);
    expect(acceptLoss(left, 'w', nowMs).rows).toEqual(
      ['intents', 'attempts', 'decisions'].map((what) => ({ what, first: 2, last: 2 })),
    );
    const again = opened(left);
    for (let nth = 0; nth < 2; nth += 1) await decided(again);
    expect(Mark.look(left)).toEqual({ intents: 4, attempts: 4, decisions: 4 });
    expect(await again.findUnnamed('new')).toBeUndefined();
  });

  test('of the very first row is counted on above', async () => {
    const path = newPath();
    const journal = opened(path);
    const left = join(newFolder(), 'journal.db');
    copyFileSync(path, left);
    await done(journal, 'accepted');
    copyFileSync(`${path}.mark`, `${left}.mark`);
    expect(acceptLoss(left, 'w', nowMs).rows).toMatchObject([
      { first: 1, last: 1 },
      { first: 1, last: 1 },
    ]);
    await done(opened(left), 'accepted');
    expect(Mark.look(left)).toEqual({ intents: 2, attempts: 2, decisions: 0 });
  });

  test('of what cannot even be checked is told as damage where a rule refuses a write', async () => {
    const journal = opened();
    const intent = newIntent();
    await journal.begin(intent, 'h', nowMs);
    disk.isBroken = true;
    expect((await failureOf(() => journal.begin(intent, 'h', nowMs))).code).toBe('journal-damaged');
  });

  test('that nobody accepted is damage to whoever asks for what is not there', async () => {
    const path = newPath();
    const journal = opened(path);
    for (let nth = 0; nth < 3; nth += 1) await done(journal, 'accepted');
    const { database } = openFile(path);
    database.exec(
      'DROP TRIGGER delete_on_intents_keeps; PRAGMA foreign_keys = OFF; DELETE FROM intents WHERE seq = 2',
    );
    database.close();
    expect((await failureOf(() => journal.findUnnamed('new'))).code).toBe('journal-damaged');
  });

  test('is not looked for, nor a journal made, where there is none', () => {
    const path = newPath();
    expect(() => findLoss(path)).toThrow(expect.objectContaining({ kind: 'no-journal' }));
    expect(existsSync(dirname(path))).toBe(false);
  });

  test('of the mark alone is accepted without a log', async () => {
    const path = newPath();
    await openJournal(path).close();
    const left = join(newFolder(), 'journal.db');
    copyFileSync(path, left);
    expect(acceptLoss(left, 'w', nowMs)).toEqual({ rows: [], keptLog: undefined });
    expect(findLoss(left)).toBeUndefined();
  });
});

const mebibyte = 1024 * 1024;

describe('the log', () => {
  const logOf = (statfs: Partial<fs.StatsFs> | undefined): unknown => {
    const path = newPath();
    const { database } = openFile(path);
    disk.statfs = statfs ?? {};
    fitLog(database, statfs === undefined ? join(path, 'no') : path);
    const pages = database.prepare('PRAGMA wal_autocheckpoint').get()?.wal_autocheckpoint;
    const most = database.prepare('PRAGMA journal_size_limit').get()?.journal_size_limit;
    database.close();
    return [pages, most];
  };
  const [short, long] = [
    [1500, 8 * mebibyte],
    [16_000, -1],
  ];

  test.each([
    ['a large one', { blocks: 1024, bavail: 512, bsize: mebibyte }, long],
    ['a small one', { blocks: 1023, bavail: 1023, bsize: mebibyte }, short],
    ['a full one', { blocks: 4096, bavail: 511, bsize: mebibyte }, short],
    ['one that does not say how large it is', { blocks: 0, bavail: 0, bsize: mebibyte }, long],
    ['one that says nothing', undefined, long],
  ])('may grow as the disk allows: %s', (_disk, statfs, log) => {
    expect(logOf(statfs)).toEqual(log);
  });

  test('is left as it is where it is short, or where the disk has room', async () => {
    const path = newPath();
    await done(opened(path), 'accepted');
    const log = `${path}-wal`;
    const { size } = statSync(log);
    expect(size).toBeGreaterThan(0);
    disk.statfs = { blocks: 1, bavail: 1, bsize: 4096 };
    await openJournal(path).close();
    expect(statSync(log).size).toBe(size);
    const { database } = openFile(path);
    database.exec('PRAGMA wal_autocheckpoint = 0');
    for (let nth = 0; nth < 800; nth += 1)
      database.exec(`INSERT OR REPLACE INTO meta VALUES ('filler', randomblob(16))`);
    disk.statfs = { blocks: 4096, bavail: 4096, bsize: 1024 * 1024 };
    await openJournal(path).close();
    expect(statSync(log).size).toBeGreaterThan(1024 * 1024);
    database.close();
  });

  test('is emptied on a small disk, by those that send, and others are waited for again', async () => {
    const path = newPath();
    const { database, mark } = openFile(path);
    await done(opened(path), 'accepted');
    checkpoint(database, path);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    disk.statfs = { blocks: 1, bavail: 1, bsize: 4096 };
    checkpoint(database, path);
    expect(statSync(`${path}-wal`).size).toBe(0);
    expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 30_000 });
    database.exec('PRAGMA wal_autocheckpoint = 0');
    for (let nth = 0; nth < 800; nth += 1)
      database.exec(`INSERT OR REPLACE INTO meta VALUES ('filler', randomblob(16))`);
    await openJournal(path, 'look').close();
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(mebibyte);
    await openJournal(path).close();
    expect(statSync(`${path}-wal`).size).toBe(0);
    mark?.close();
    database.close();
  });
});

async function inUse(): Promise<string> {
  const path = newPath();
  const journal = opened(path);
  for (let nth = 0; nth < 3; nth += 1) await done(journal, 'accepted');
  return path;
}

describe('a backup', () => {
  test('of a journal in use is whole, private and on the disk, and is used as a journal of its own', async () => {
    const path = await inUse();
    const target = join(newFolder(), 'copy.db');
    disk.synced = [];
    expect(await backUp(path, target)).toEqual({ intents: 3, attempts: 3, decisions: 0 });
    expect(disk.synced).toEqual(
      expect.arrayContaining(['copy.db', 'copy.db.mark', basename(dirname(target))]),
    );
    expect(readdirSync(dirname(target))).toEqual(['copy.db', 'copy.db.mark']);
    for (const name of [target, `${target}.mark`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    const journal = opened(target);
    await done(journal, 'accepted');
    expect(await countStates(journal)).toEqual({ accepted: 4 });
  });

  test('counts its changes from the start, however often the journal has changed', async () => {
    const path = await inUse();
    const found = Mark.open(path, 'r+');
    if (found.is === 'mark') found.mark.noteBase(1);
    const target = join(newFolder(), 'copy.db');
    await backUp(path, target);
    expect(Mark.open(target, 'r')).toMatchObject({ mark: { base: 0, highest: { intents: 3 } } });
  });

  test.each(['', '-wal', '.mark'])('writes over nothing that is there: copy.db%s', async (suffix) => {
    const target = join(newFolder(), 'copy.db');
    writeFileSync(`${target}${suffix}`, 'mine');
    await expect(backUp(await inUse(), target)).rejects.toMatchObject({
      kind: 'backup-there',
      fields: { path: `${target}${suffix}` },
    });
    expect(readdirSync(dirname(target))).toEqual([`copy.db${suffix}`]);
  });

  test.each(['', '.mark'])(
    'removes nothing of another that began at the same moment: copy.db%s',
    async (suffix) => {
      const target = join(newFolder(), 'copy.db');
      const path = await inUse();
      disk.beforeMaking = () => writeFileSync(`${target}${suffix}`, 'theirs');
      await expect(backUp(path, target)).rejects.toMatchObject({
        kind: 'backup-there',
        fields: { path: `${target}${suffix}` },
      });
      expect(readdirSync(dirname(target))).toEqual([`copy.db${suffix}`]);
      expect(readFileSync(`${target}${suffix}`, 'utf8')).toBe('theirs');
    },
  );

  test('that cannot be made leaves nothing behind', async () => {
    const path = await inUse();
    const nowhere = join(newFolder(), 'no', 'copy.db');
    await expect(backUp(path, nowhere)).rejects.toMatchObject({
      kind: 'backup-not-made',
      fields: { path: nowhere, trouble: { code: 'ENOENT' } },
    });
    const target = join(newFolder(), 'copy.db');
    truncateSync(`${path}.mark`, 20);
    await expect(backUp(path, target)).rejects.toMatchObject({ kind: 'lost' });
    expect(readdirSync(dirname(target))).toEqual([]);
  });

  test('that is not what the journal holds is not left', async () => {
    const [path, other] = [await inUse(), await inUse()];
    const target = join(newFolder(), 'copy.db');
    disk.copy = (to) => copyFileSync(other, to);
    await expect(backUp(path, target)).rejects.toMatchObject({
      kind: 'lost',
      fields: { path: target, loss: { is: 'mark', found: 'anothers' } },
    });
    disk.copy = (to) => {
      writeFileSync(`${to}-wal`, 'begun');
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    await expect(backUp(path, target)).rejects.toMatchObject({
      kind: 'backup-not-made',
      fields: { trouble: { code: 'ENOSPC' } },
    });
    expect(readdirSync(dirname(target))).toEqual([]);
  });

  test('of what is no journal, or lost something, is not made', async () => {
    const target = join(newFolder(), 'copy.db');
    await expect(backUp(newPath(), target)).rejects.toMatchObject({ kind: 'no-journal' });
    const path = await inUse();
    rmSync(`${path}.mark`);
    await expect(backUp(path, target)).rejects.toMatchObject({
      kind: 'lost',
      fields: { path, loss: { is: 'mark', found: 'missing' } },
    });
    expect(readdirSync(dirname(target))).toEqual([]);
  });
});

test('a loss that the disk has no room to record is not accepted', async () => {
  const path = await inUse();
  rmSync(`${path}.mark`);
  disk.isFull = true;
  expect(() => acceptLoss(path, 'ada@here', nowMs)).toThrow(
    expect.objectContaining({
      fields: { path, trouble: expect.objectContaining({ said: 'database or disk is full' }) },
    }),
  );
  disk = { synced: [], opened: [], said: [], connected: [] };
  expect(findLoss(path)).toMatchObject({ is: 'mark', found: 'missing' });
});

describe('what doctor asks of a disk', () => {
  // From statfs(2).
  test.each([
    [0x01021994, 'tmpfs'],
    [0x858458f6, 'tmpfs'],
    [0x858458f6 - 2 ** 32, 'tmpfs'],
    [0x794c7630, 'overlay'],
    [0x6969, 'network'],
    [0xff534d42, 'network'],
    [0xfe534d42, 'network'],
    [0xef53, undefined],
  ])('its kind: %i is %s', (type, kind) => {
    disk.statfs = { type };
    expect(diskKind(newFolder())).toBe(kind);
    expect(diskKind(join(newFolder(), 'no'))).toBeUndefined();
  });

  test('whether a journal can be written there, as it is and synced, without a trace', () => {
    const folder = newFolder();
    const path = join(folder, 'journal.db');
    expect(writingTrouble(path, false)).toBeUndefined();
    expect(disk.synced).toEqual([`.botctl-doctor-${process.pid}`]);
    expect(writingTrouble(path, true)).toMatchObject({ is: 'failed', code: 'ENOENT' });
    disk.takes = 4096;
    expect(writingTrouble(path, false)).toMatchObject({ is: 'failed', code: 'ENOSPC' });
    expect(readdirSync(folder)).toEqual([]);
    expect(writingTrouble(join(folder, 'no', 'journal.db'), false)).toMatchObject({ code: 'ENOENT' });
  });
});

// The last writer to close would delete the log, and with it what was intact in it.
test.each([
  ['a lost mark', (path: string) => rmSync(`${path}.mark`)],
  ['a damaged log', (path: string) => truncateSync(`${path}-wal`, 5000)],
])(
  'a journal that is refused keeps its log, for a reader was there first, and stays: %s',
  async (_what, hurt) => {
    const used = newPath();
    const journal = opened(used);
    for (let nth = 0; nth < 3; nth += 1) await done(journal, 'accepted');
    const path = join(newFolder(), 'journal.db');
    for (const suffix of ['', '-wal', '.mark']) copyFileSync(`${used}${suffix}`, `${path}${suffix}`);
    hurt(path);
    disk.connected = [];
    expect(() => openJournal(path)).toThrow(expect.objectContaining({ kind: 'lost' }));
    const [first] = disk.connected;
    expect([first?.isReader, first?.database.isOpen]).toEqual([true, true]);
  },
);

// To open the file beside SQLite and close it again would drop this process's locks on it.
test('a loss is accepted through SQLite only by a process that has the journal open', () => {
  const path = newPath();
  opened(path);
  rmSync(`${path}.mark`);
  disk.opened = [];
  acceptLoss(path, 'ada@here', nowMs);
  expect(disk.opened).not.toContain('journal.db');
});

test('a loss is not accepted where commits are not made durable', async () => {
  const path = newPath();
  await openJournal(path).close();
  rmSync(`${path}.mark`);
  disk.isLax = true;
  expect(() => acceptLoss(path, 'ada@here', nowMs)).toThrow(expect.objectContaining({ kind: 'not-durable' }));
});

test('a private journal is looked at without a change, as on a disk that can only be read', async () => {
  const path = newPath();
  await openJournal(path).close();
  disk.said = [];
  await openJournal(path, 'look').close();
  expect(disk.said).not.toContain('chmod');
  chmodSync(path, 0o640);
  disk.said = [];
  await openJournal(path, 'look').close();
  expect(disk.said).toContain('chmod');
});
