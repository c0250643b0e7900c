import type * as fs from 'node:fs';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  type PathLike,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { backup as copyByPages, DatabaseSync, DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type * as locks from '../../../../src/machine/fileLock.ts';
import { openJournal } from '../../../../src/once/journal/file/openJournal.ts';
import {
  acceptLoss,
  backUp,
  diskKind,
  lossToAccept,
  refuseDamage,
} from '../../../../src/once/journal/file/upkeep.ts';
import { Note } from '../../../../src/once/journal/note.ts';
import { failureOf } from '../../../support/failure.ts';
import {
  countStates,
  done,
  inHand,
  newEntry,
  newFolder,
  newPath,
  nowMs,
  opened,
} from '../../../support/journals.ts';

const noLoss = { isGone: false, missing: [] };

type Disk = {
  synced: string[];
  opened: string[];
  statfs?: Partial<fs.StatsFs>;
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
  test('where commits are not made durable, is not used', () => {
    disk.isLax = true;
    const path = newPath();
    expect(() => openJournal(path)).toThrow(expect.objectContaining({ kind: 'not-durable' }));
  });

  test('while another sets it up, is what that one made, and no other', async () => {
    const made = newPath();
    await done(opened(made), 'accepted');
    const path = join(newFolder(), 'journal.db');
    disk.meanwhile = () => {
      for (const suffix of ['', '-wal', '.note']) copyFileSync(`${made}${suffix}`, `${path}${suffix}`);
    };
    expect(await countStates(opened(path))).toEqual({ accepted: 1 });
  });
});

describe('a disk that is full at a commit', () => {
  test.each<[string, (path: string) => unknown]>([
    ['of a send', (path) => done(opened(path), 'accepted')],
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
  });
});

describe('a loss', () => {
  test('of what cannot even be checked is told as damage where a rule refuses a write', async () => {
    const journal = opened();
    const entry = newEntry();
    await journal.begin(entry, 'h', nowMs);
    disk.isBroken = true;
    expect((await failureOf(() => journal.begin(entry, 'h', nowMs))).code).toBe('journal-damaged');
  });

  test('is not looked for, nor a journal made, where there is none', () => {
    const path = newPath();
    expect(() => lossToAccept(path)).toThrow(expect.objectContaining({ kind: 'no-journal' }));
    expect(existsSync(dirname(path))).toBe(false);
  });
});

/** It notes what the journal does not have. */
function lose(path: string): void {
  const note = new Note(`${path}.note`);
  note.note({ entry: 'gone', number: 1, atMs: nowMs });
  note.close();
}

async function inUse(): Promise<string> {
  const path = newPath();
  const journal = opened(path);
  for (let nth = 0; nth < 3; nth += 1) await done(journal, 'accepted');
  return path;
}

describe('a backup', () => {
  test('of a journal in use is whole, private and on the disk, in one file that is closed for sending', async () => {
    const path = await inUse();
    const target = join(newFolder(), 'copy.db');
    disk.synced = [];
    expect(await backUp(path, target, 'ada', nowMs)).toEqual({ entries: 3, attempts: 3 });
    expect(disk.synced).toEqual(expect.arrayContaining([basename(dirname(target))]));
    expect(readdirSync(dirname(target))).toEqual(['copy.db']);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    const journal = inHand(openJournal(target));
    expect(await countStates(journal)).toEqual({ accepted: 3 });
    expect(await journal.closings()).toMatchObject([{ kind: 'backup' }]);
    await journal.close();
    expect(readdirSync(dirname(target))).not.toContain('copy.db-wal');
  });

  test('beside the log of another journal is refused, and left unchanged', async () => {
    const [path, target] = [await inUse(), join(newFolder(), 'copy.db')];
    await backUp(path, target, 'ada', nowMs);
    copyFileSync(`${path}-wal`, `${target}-wal`);
    const before = readFileSync(target);
    expect(() => openJournal(target, 'look')).toThrow(expect.objectContaining({ kind: 'damaged' }));
    expect(readFileSync(target).equals(before)).toBe(true);
  });

  test('that cannot be made leaves nothing behind', async () => {
    const path = await inUse();
    const target = join(newFolder(), 'copy.db');
    await expect(backUp(newPath(), target, 'ada', nowMs)).rejects.toMatchObject({ kind: 'no-journal' });
    const nowhere = join(newFolder(), 'no', 'copy.db');
    await expect(backUp(path, nowhere, 'ada', nowMs)).rejects.toMatchObject({
      kind: 'backup-not-made',
      fields: { path: nowhere, trouble: { code: 'ENOENT' } },
    });
    // Nothing shows what is at such a path, as below a folder that this user may not enter.
    const nameless = join(newFolder(), 'x'.repeat(300));
    await expect(backUp(path, nameless, 'ada', nowMs)).rejects.toMatchObject({
      kind: 'backup-not-made',
      fields: { path: nameless, trouble: { code: 'ENAMETOOLONG' } },
    });
    lose(path);
    await expect(backUp(path, target, 'ada', nowMs)).rejects.toMatchObject({ kind: 'lost' });
    expect(readdirSync(dirname(target))).toEqual([]);
  });
});

test('a loss that the disk has no room to record is not accepted', async () => {
  const path = await inUse();
  lose(path);
  disk.isFull = true;
  expect(() => acceptLoss(path, noLoss, 'ada@here', nowMs)).toThrow(
    expect.objectContaining({
      fields: { path, trouble: expect.objectContaining({ said: 'database or disk is full' }) },
    }),
  );
  disk = { synced: [], opened: [], said: [], connected: [] };
  expect(lossToAccept(path).loss).toMatchObject({ isGone: false });
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
});

test('damage that opening does not meet is found by SQLite’s own check', async () => {
  const path = newPath();
  const journal = opened(path);
  for (let nth = 0; nth < 300; nth += 1) await done(journal, 'accepted');
  await journal.close();
  refuseDamage(path);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, bytes.length - 4096));
  await openJournal(path).close();
  expect(() => refuseDamage(path)).toThrow(expect.objectContaining({ kind: 'damaged' }));
});

// The last writer to close would delete the log, and with it what was intact in it.
test.each([
  ['a request that it lacks', lose],
  ['a damaged log', (path: string) => truncateSync(`${path}-wal`, 5000)],
])('a journal that is refused keeps its log: %s', async (_what, hurt) => {
  const used = newPath();
  const journal = opened(used);
  for (let nth = 0; nth < 3; nth += 1) await done(journal, 'accepted');
  const path = join(newFolder(), 'journal.db');
  for (const suffix of ['', '-wal', '.note']) copyFileSync(`${used}${suffix}`, `${path}${suffix}`);
  hurt(path);
  const log = readFileSync(`${path}-wal`);
  expect(() => openJournal(path)).toThrow(expect.objectContaining({ kind: 'lost' }));
  expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
});

test('a loss is not accepted where commits are not made durable', async () => {
  const path = newPath();
  await openJournal(path).close();
  lose(path);
  disk.isLax = true;
  expect(() => acceptLoss(path, noLoss, 'ada@here', nowMs)).toThrow(
    expect.objectContaining({ kind: 'not-durable' }),
  );
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
