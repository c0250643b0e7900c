import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Known, Note } from '../../../src/once/journal/note.ts';
import { closedAfterTest } from '../../support/closedAfterTest.ts';
import { newFolder, nowMs } from '../../support/journals.ts';

const newNote = (path = join(newFolder(), 'shared', 'note')): Note => closedAfterTest(new Note(path));
const attempt = (number: number): Known => ({
  entry: '7f9c24e5-2f0d-4c6e-9a41-0c6c8b8f7d21',
  number,
  atMs: nowMs + number,
});

describe('what is noted', () => {
  test('is the latest of each process, in places of 96 bytes', () => {
    const note = newNote();
    expect(note.noted()).toEqual([]);
    for (const number of [1, 2, 3]) note.note(attempt(number));
    expect(newNote(note.path).noted()).toEqual([attempt(3)]);
    const others = Array.from({ length: 15 }, () => newNote(note.path));
    for (const [nth, other] of others.entries()) other.note(attempt(nth + 10));
    expect(newNote(note.path).noted()).toHaveLength(16);
    newNote(note.path).note(attempt(99));
    const all = newNote(note.path).noted();
    expect([all.length, all.some(({ number }) => number === 99)]).toEqual([16, true]);
    expect(statSync(note.path)).toMatchObject({ size: 16 * 96 });
    expect(statSync(note.path).mode & 0o777).toBe(0o600);
  });

  test('counts as nothing where a bit of it flipped, or it is torn', () => {
    const [note, other] = [newNote(), newNote()];
    note.note(attempt(1));
    const whole = readFileSync(note.path);
    for (let bit = 0; bit < whole.length * 8; bit += 7) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      other.note(attempt(2));
      writeFileSync(other.path, bytes);
      expect([[], [attempt(1)]]).toContainEqual(other.noted());
    }
    truncateSync(note.path, 40);
    expect(note.noted()).toEqual([]);
    writeFileSync(note.path, '');
    expect(note.noted()).toEqual([]);
  });

  test('is forgotten whole, and may be noted again', () => {
    const note = newNote();
    note.forget();
    note.note(attempt(1));
    note.forget();
    expect(note.noted()).toEqual([]);
    note.note(attempt(2));
    expect(note.noted()).toEqual([attempt(2)]);
  });

  test('cannot be noted where its folder cannot be made', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'shared'), 'x');
    const note = newNote(join(folder, 'shared', 'id', 'note'));
    expect(note.noted()).toEqual([]);
    expect(() => note.note(attempt(1))).toThrow();
  });
});
