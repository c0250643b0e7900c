import { hash } from 'node:crypto';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lookAtJournal } from '../../../../src/once/journal/file/lookOnly.ts';
import { openFile } from '../../../../src/once/journal/file/opening.ts';
import { openJournal } from '../../../../src/once/journal/file/openJournal.ts';
import { SourceFile } from '../../../../src/once/journal/file/sourceFile.ts';
import { closedAfterTest } from '../../../../testing/closedAfterTest.ts';
import {
  baseUrl,
  done,
  endWith,
  newFolder,
  newIntent,
  newPath,
  nowMs,
  opened,
} from '../../../../testing/journals.ts';

const moved = { place: 'a server', journal: 'j', who: 'w', atMs: nowMs + 5 };
const fine = async (): Promise<void> => undefined;
const source = (path: string): SourceFile => closedAfterTest(SourceFile.open(path));
const isMoved = (path: string, isWhole: boolean) =>
  expect.objectContaining({ kind: 'moved', fields: { path, place: 'a server', isWhole } });

test('a file that is copied is read whole, in the order in which its intents began', async () => {
  const path = newPath();
  const journal = opened(path);
  const beyond = { rows: 0, totals: [] };
  const input = {
    baseUrl,
    kind: 'transfer',
    digest: 'd',
    rows: 1,
    invalid: 0,
    skipped: 0,
    skippedInDoubt: 0,
    totals: [],
    beyond,
  } as const;
  for (const name of ['b-2', 'b-1']) await journal.keepBatch({ ...input, name });
  const { id } = await journal.begin(newIntent({ kind: 'transfer', payment: 'p' }), 'h', nowMs);
  await journal.endAttempt(id, 1, endWith('limited'), nowMs);
  await journal.startAttempt(id, 'h', nowMs);
  await journal.endAttempt(id, 2, endWith('unknown'), nowMs);
  await journal.conclude(id, 'unknown', undefined, nowMs);
  const decision = { kind: 'happened', who: 'w', atMs: 1, reason: 'r', signature: undefined } as const;
  await journal.decide(id, decision);
  const receipt = { origin: 'g', what: 'instruction', value: 's/1' } as const;
  await journal.keepReceipts(id, [receipt]);
  const seen = { who: 'chain', atMs: 2, signature: 's', genesis: 'g', instruction: '1', facts: '{}' };
  await journal.observe(id, { ...seen, verdict: 'proven' });
  const left = await done(journal, 'unknown');
  await journal.supersede(left);
  await journal.commit(async (tx) => {
    for (let nth = 0; nth < 200; nth += 1) await tx.begin(newIntent(), 'h', nowMs);
  });
  const file = source(path);
  const pages = [...file.pages()];
  expect(pages.map(({ length }) => length)).toEqual([200, 2]);
  expect(pages.flat().map(({ intent }) => intent.id)).toEqual(
    pages
      .flat()
      .map(({ intent }) => intent.id)
      .sort(),
  );
  const [first, second, third] = pages[0] ?? [];
  expect(first).toMatchObject({
    intent: { id },
    leftBehind: false,
    attempts: [{ verdict: 'limited' }, { verdict: 'unknown' }],
  });
  expect(first).toMatchObject({ decisions: [decision], receipts: [receipt], observations: [seen] });
  expect(second).toMatchObject({ intent: { id: left }, leftBehind: true, decisions: [], receipts: [] });
  expect(third).toMatchObject({ intent: { ownerLives: false }, attempts: [{ number: 1 }], observations: [] });
  expect([file.intents, file.moved]).toEqual([202, undefined]);
  expect(file.batches.map(({ name }) => name)).toEqual(['b-1', 'b-2']);
  expect(pages.flat().map(({ attempts }) => attempts.length)).toEqual([2, ...Array(201).fill(1)]);
  expect(hash('sha256', Buffer.concat([file.salt, Buffer.from('token')]))).toBe(journal.hashOf('token'));
});

test('a file that has nothing is not copied', () => {
  const path = newPath();
  expect(() => SourceFile.open(path)).toThrow(
    expect.objectContaining({ kind: 'nothing-to-copy', fields: { path } }),
  );
});

test('a file that has lost something is not copied', async () => {
  const path = newPath();
  await openJournal(path).close();
  rmSync(`${path}.mark`);
  expect(() => SourceFile.open(path)).toThrow(expect.objectContaining({ kind: 'lost' }));
});

test('a file is closed once nobody sends through it, and sends nothing more, in whatever process', async () => {
  const path = newPath();
  const journal = opened(path);
  const intent = newIntent();
  await journal.begin(intent, 'h', nowMs);
  const file = source(path);
  await expect(file.closeFor(moved, fine)).rejects.toMatchObject({
    kind: 'owners-alive',
    fields: { path, count: 1 },
  });
  await done(journal, 'accepted');
  await journal.close();
  const waiting = opened(path);
  await expect(file.closeFor(moved, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect((await waiting.get(intent.id))?.state).toBe('sending');
  expect(file.unsettled).toEqual([intent.id]);
  await file.closeFor(moved, fine);
  await expect(done(waiting, 'accepted')).rejects.toEqual(isMoved(path, false));
  expect(() => openJournal(path)).toThrow(isMoved(path, false));
  const looked = closedAfterTest(openJournal(path, 'look'));
  expect(looked).toMatchObject({ movedTo: 'a server', isReadOnly: true, lost: undefined });
  expect(lookAtJournal(path).movedTo).toBe('a server');
  const { database } = openFile(path, 'look');
  expect(() => database.exec(`DELETE FROM meta WHERE name = 'moved-to'`)).toThrow('readonly');
  database.close();
  const again = source(path);
  expect(again.moved).toEqual(moved);
  again.noteWhole(nowMs);
  again.noteWhole(nowMs);
  expect(() => openJournal(path)).toThrow(isMoved(path, true));

  const alone = join(newFolder(), 'journal.db');
  copyFileSync(path, alone);
  copyFileSync(`${path}.mark`, `${alone}.mark`);
  expect(() => openJournal(alone)).toThrow(expect.objectContaining({ kind: 'moved' }));
});

test.each(['salt', 'salt-again'])('a file whose salt was damaged is not copied: %s', (name) => {
  const path = newPath();
  const journal = opened(path);
  expect(hash('sha256', Buffer.concat([source(path).salt, Buffer.from('token')]))).toBe(
    journal.hashOf('token'),
  );
  const { database } = openFile(path);
  database.prepare('UPDATE meta SET value = randomblob(32) WHERE name = ?').run(name);
  database.close();
  expect(() => source(path)).toThrow(expect.objectContaining({ kind: 'salt-changed' }));
});
