import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Notes } from '../../src/postgres/notes.ts';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { failureOf } from '../../testing/failure.ts';
import { done, inHand, newFolder, newIntent, nowMs } from '../../testing/journals.ts';
import { newSharedPlace, onServer, openShared } from '../../testing/postgres/sharedJournal.ts';

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
  expect(one.write({ what: 'attempt', id: 'first', number: 1, at: 5 })).toBe(true);
  expect(one.write({ what: 'decision', id: 'second', number: 12, at: 5 })).toBe(true);
  one.close();
  expect(open(path).read()).toEqual([{ what: 'decision', id: 'second', number: 12, at: 5 }]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a process overwrites no other’s note while there is room', () => {
  const path = newPath();
  const ids = Array.from({ length: 64 }, (_none, nth) => `p${nth}`);
  for (const id of ids) {
    const notes = open(path);
    notes.read();
    notes.write({ what: 'attempt', id, number: 1, at: 5 });
    notes.read();
    notes.write({ what: 'attempt', id, number: 2, at: 5 });
    notes.close();
  }
  const read = open(path).read();
  expect(read.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(new Set(read.map(({ number }) => number))).toEqual(new Set([2]));
});

test('notes are where another process, or another release, finds them', () => {
  const path = newPath();
  const notes = open(path);
  notes.write({ what: 'attempt', id: 'first', number: 1, at: 5 });
  const text = readFileSync(path, 'latin1');
  const slot = 'attempt first 1 5 663d6dfd0b8bbfe0'.padEnd(95);
  expect(text.length % 96).toBe(0);
  expect(text.slice(-96)).toBe(`${slot}\n`);
  notes.forget([{ what: 'attempt', id: 'first', number: 1, at: 5 }]);
  expect(readFileSync(path, 'latin1')).toBe(text.replace(slot, ' '.repeat(95)));
});

test('what is forgotten is forgotten alone', () => {
  const path = newPath();
  const notes = ['one', 'two'].map((id) => ({ what: 'attempt', id, number: 1, at: 5 }) as const);
  for (const note of notes) {
    const process = open(path);
    process.read();
    process.write(note);
  }
  open(path).forget(notes.slice(0, 1));
  open(newPath()).forget([]);
  expect(open(path).read()).toEqual(notes.slice(1));
});

test('a machine has notes of sixty-four processes, and no more', () => {
  const path = newPath();
  for (let nth = 0; nth < 80; nth += 1) {
    const notes = open(path);
    notes.read();
    notes.write({ what: 'attempt', id: `p${nth}`, number: 1, at: 5 });
  }
  expect(statSync(path).size).toBe(64 * 96);
});

test('processes that write at once each leave one that is whole', () => {
  const path = newPath();
  const processes = Array.from({ length: 20 }, () => open(path));
  for (let round = 0; round < 5; round += 1)
    for (const [nth, one] of processes.entries())
      one.write({ what: 'attempt', id: `p${nth}`, number: round, at: 5 });
  const read = open(path).read();
  expect(read.length).toBeGreaterThan(5);
  for (const { id, number } of read) expect([id, number]).toEqual([expect.stringMatching(/^p\d+$/u), 4]);
});

test('one that is torn says nothing, and the others stand', () => {
  const path = newPath();
  open(path).write({ what: 'attempt', id: 'whole', number: 1, at: 5 });
  const whole = readFileSync(path, 'latin1').slice(-96);
  for (const torn of ['attempt torn 1 0123456789abcdef', '\0\0\0', '', 'attempt whole 2']) {
    const bytes = Buffer.alloc(64 * 96);
    bytes.write(torn.padEnd(95) + whole.padStart(97), 'latin1');
    writeFileSync(path, bytes);
    expect(open(path).read()).toEqual([{ what: 'attempt', id: 'whole', number: 1, at: 5 }]);
  }
});

test('a machine whose disk takes none goes on without', () => {
  const path = newPath();
  mkdirSync(dirname(dirname(path)), { recursive: true });
  writeFileSync(dirname(path), 'a file where the folder would be');
  for (const where of [path, '/proc/nowhere/shared/id/notes'])
    expect(open(where).write({ what: 'attempt', id: 'i', number: 1, at: 5 })).toBe(false);
});

test('notes that cannot be read are not taken for none, unless there can be none', () => {
  const path = newPath();
  mkdirSync(path, { recursive: true });
  expect(() => open(path).read()).toThrow(
    expect.objectContaining({
      kind: 'notes-unreadable',
      fields: { path, trouble: expect.objectContaining({ code: 'EISDIR' }) },
    }),
  );
  const file = newPath();
  mkdirSync(dirname(dirname(file)), { recursive: true });
  writeFileSync(dirname(file), 'a file where the folder would be');
  expect(open(file).read()).toEqual([]);
});

test('an attempt that was lost is missed although another machine has made one of its number', async () => {
  const place = await newSharedPlace();
  const journal = inHand(await openShared(place));
  const id = await done(journal, 'rejected', { namedBy: 'once', name: 'n' });
  await journal.claim(id, nowMs);
  await journal.startAttempt(id, 'h', nowMs + 1);
  await journal.close();
  await onServer(place, async (client) => {
    await client.query(`ALTER TABLE attempts DISABLE TRIGGER ALL; ALTER TABLE intents DISABLE TRIGGER ALL;
      DELETE FROM attempts WHERE number = 2; UPDATE intents SET state = 'rejected', owner = NULL, attempts = 1;
      ALTER TABLE attempts ENABLE TRIGGER ALL; ALTER TABLE intents ENABLE TRIGGER ALL`);
  });
  const other = inHand(await openShared({ ...place, dataFolder: newFolder() }));
  await other.claim(id, nowMs + 2);
  expect(await other.startAttempt(id, 'h', nowMs + 2)).toMatchObject({ attempts: 2 });
  expect(await failureOf(() => openShared(place))).toMatchObject({ code: 'journal-lost' });
});

test('what a chain was seen to say is noted, and missed', async () => {
  const place = await newSharedPlace();
  const journal = await openShared(place);
  const { id } = await journal.commit((tx) => tx.begin(newIntent(), 'h', nowMs), { beforeSending: true });
  const facts = { genesis: undefined, instruction: undefined, signature: undefined, facts: '{}' };
  await journal.commit((tx) => tx.observe(id, { ...facts, verdict: 'undecided', atMs: 7 }));
  const path = join(place.dataFolder, 'shared', journal.id ?? '', 'notes');
  expect(open(path).read()).toEqual([{ what: 'observation', id, number: 7, at: 7 }]);
  await (await openShared(place)).close();
  await onServer(place, (client) =>
    client.query(
      'ALTER TABLE observations DISABLE TRIGGER ALL; DELETE FROM observations; ALTER TABLE observations ENABLE TRIGGER ALL',
    ),
  );
  expect(await failureOf(() => openShared(place))).toMatchObject({
    code: 'journal-lost',
    message: expect.stringContaining('an observation that the journal acknowledged'),
  });
});
