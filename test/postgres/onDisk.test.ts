import type * as fs from 'node:fs';
import type { PathLike } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { LateReplies, Notes } from '../../src/postgres/notes.ts';
import { endWith, newFolder } from '../../testing/journals.ts';

type Disk = {
  readonly opened: Map<number, string>;
  readonly synced: string[];
  /** How much of each write it takes. */
  takes?: number;
};
let disk: Disk;
beforeEach(() => {
  disk = { opened: new Map(), synced: [] };
});

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    openSync: (path: PathLike, ...rest: [number | string, number?]): number => {
      const file = real.openSync(path, ...rest);
      disk?.opened.set(file, basename(String(path)));
      return file;
    },
    closeSync: (file: number): void => {
      real.closeSync(file);
      disk?.opened.delete(file);
    },
    fsyncSync: (file: number): void => {
      real.fsyncSync(file);
      disk?.synced.push(disk.opened.get(file) ?? '');
    },
    writeSync: (file: number, bytes: Buffer, ...rest: number[]): number =>
      disk?.takes ?? real.writeSync(file, bytes, ...rest),
  };
});

const late = {
  ...{ id: 'i', number: 1, end: endWith('accepted'), receipts: [], why: undefined, atMs: 5 },
  state: 'accepted',
} as const;

test('a reply is kept once it and its folder are synced, and not if the disk takes half of it', () => {
  const replies = new LateReplies(join(newFolder(), 'id'), 'owner');
  expect(basename(replies.keep(late) ?? '')).toBe('late-owner.jsonl');
  expect(disk.synced).toEqual(['late-owner.jsonl', 'id']);
  expect([...disk.opened.values()]).toEqual([]);
  disk.takes = 1;
  expect(replies.keep(late)).toBeUndefined();
});

test('a note is forgotten once that is synced, and nothing stays open', () => {
  const notes = new Notes(join(newFolder(), 'notes'));
  for (const number of [1, 2]) notes.write({ what: 'attempt', id: 'i', number, at: 5 });
  notes.forget(notes.read());
  expect(disk.synced).toEqual(['notes']);
  expect([...disk.opened.values()]).toEqual(['notes']);
  for (const _close of ['once', 'again']) notes.close();
  expect([...disk.opened.values()]).toEqual([]);
});
