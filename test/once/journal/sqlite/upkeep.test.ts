import type * as fs from 'node:fs';
import { type PathLike, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Mark } from '../../../../src/once/journal/sqlite/mark.ts';
import { backUp, diskKind, writingTrouble } from '../../../../src/once/journal/sqlite/upkeep.ts';
import { countStates, done, newFolder, newPath, opened } from '../../../../testing/journals.ts';

const disk: { synced: string[]; type: number | undefined; takes: number | undefined } = {
  synced: [],
  type: undefined,
  takes: undefined,
};
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const names = new Map<number, string>();
  const openSync = (path: PathLike, ...rest: [number | string, number?]): number => {
    const file = real.openSync(path, ...rest);
    names.set(file, basename(String(path)));
    return file;
  };
  const fsyncSync = (file: number): void => {
    real.fsyncSync(file);
    disk.synced.push(names.get(file) ?? '');
  };
  const statfsSync = (path: PathLike) => ({
    ...real.statfsSync(path),
    ...(disk.type && { type: disk.type }),
  });
  const writeSync = (file: number, bytes: Buffer, ...rest: number[]): number =>
    disk.takes ?? real.writeSync(file, bytes, ...rest);
  return { ...real, openSync, fsyncSync, statfsSync, writeSync };
});
beforeEach(() => {
  disk.synced = [];
});
afterEach(() => {
  disk.type = undefined;
  disk.takes = undefined;
});

test('a new journal is on the disk, with its mark, before it is used', () => {
  const path = newPath();
  opened(path);
  expect(disk.synced).toEqual(['data', 'journal.db.mark.new', 'data']);
});

describe('a backup', () => {
  async function inUse(): Promise<string> {
    const path = newPath();
    const journal = opened(path);
    for (let nth = 0; nth < 3; nth += 1) await done(journal, 'accepted');
    return path;
  }

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
    disk.type = type;
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
