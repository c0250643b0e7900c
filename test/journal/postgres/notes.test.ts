import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Notes } from '../../../src/journal/postgres/notes.ts';
import { closedAfterTest } from '../../../testing/closedAfterTest.ts';
import { newFolder } from '../../../testing/journals.ts';

const newPath = (): string => join(newFolder(), 'shared', 'id', 'notes');
const open = (path: string): Notes => closedAfterTest(new Notes(path));

test('a machine that was told nothing has no notes, and no file', () => {
  const path = newPath();
  expect(open(path).read()).toEqual([]);
  expect(() => statSync(path)).toThrow('ENOENT');
});

test('a process notes the last that it was told, and others read it, also after it has ended', () => {
  const path = newPath();
  const one = open(path);
  expect(one.write({ id: 'first', number: 1 })).toBe(true);
  expect(one.write({ id: 'second', number: 12 })).toBe(true);
  one.close();
  expect(open(path).read()).toEqual([{ id: 'second', number: 12 }]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('processes that write at once each leave one that is whole', () => {
  const path = newPath();
  const processes = Array.from({ length: 20 }, () => open(path));
  for (let round = 0; round < 5; round += 1)
    for (const [nth, one] of processes.entries()) one.write({ id: `p${nth}`, number: round });
  const read = open(path).read();
  expect(read.length).toBeGreaterThan(5);
  for (const { id, number } of read) expect([id, number]).toEqual([expect.stringMatching(/^p\d+$/u), 4]);
});

test('one that is torn says nothing, and the others stand', () => {
  const path = newPath();
  open(path).write({ id: 'whole', number: 1 });
  const text = readFileSync(path, 'latin1');
  for (const torn of ['torn 1 0123456789abcdef', '\0\0\0', '', 'whole 2']) {
    const free = text.startsWith('whole') ? 1 : 0;
    const bytes = Buffer.alloc(64 * 96);
    bytes.write(text, 'latin1');
    bytes.write(torn.padEnd(95), free * 96, 'latin1');
    writeFileSync(path, bytes);
    expect(open(path).read()).toEqual([{ id: 'whole', number: 1 }]);
  }
});

test('a machine whose disk takes none goes on without', () => {
  const path = newPath();
  mkdirSync(dirname(dirname(path)), { recursive: true });
  writeFileSync(dirname(path), 'a file where the folder would be');
  expect(open(path).write({ id: 'i', number: 1 })).toBe(false);
});

test('notes that cannot be read are not taken for none, unless there can be none', () => {
  const path = newPath();
  mkdirSync(path, { recursive: true });
  expect(() => open(path).read()).toThrow(
    expect.objectContaining({ code: 'machine-fault', message: expect.stringContaining(path) }),
  );
  const file = newPath();
  mkdirSync(dirname(dirname(file)), { recursive: true });
  writeFileSync(dirname(file), 'a file where the folder would be');
  expect(open(file).read()).toEqual([]);
});
