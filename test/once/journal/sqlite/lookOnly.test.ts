import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { lookAtJournal } from '../../../../src/once/journal/file/lookOnly.ts';
import { done, newFolder, newIntent, newPath, nowMs, opened } from '../../../../testing/journals.ts';

describe('a look at a journal', () => {
  test('says what it holds, what waits, and what has been in doubt longest', async () => {
    const path = newPath();
    const journal = opened(path);
    expect(lookAtJournal(path)).toMatchObject({ counts: {}, oldestUnknown: undefined, latestMs: undefined });
    await done(journal, 'accepted', {}, nowMs + 7);
    await done(journal, 'unknown', {}, nowMs + 2);
    const sending = newIntent();
    await journal.begin(sending, 'h', nowMs + 1);
    await done(journal, 'held', {}, nowMs + 3);
    for (const kind of ['proposed', 'approved', 'proposed'] as const) {
      const proposal = newIntent({ kind: 'transfer', payment: 'p' });
      const { id, fingerprint } = await journal.propose(proposal, 'approval', nowMs);
      const word = { kind, who: 'w', atMs: nowMs, reason: 'r', signature: undefined };
      await journal.decide(id, { ...word, fingerprint });
    }
    expect(lookAtJournal(path)).toEqual({
      check: ['ok'],
      isChanged: false,
      ...{ version: 3, knownVersion: 3, isJournal: true, mode: 'wal', syncsFully: true },
      movedTo: undefined,
      counts: { accepted: 1, unknown: 1, sending: 1, held: 3, open: 1 },
      proposals: { held: 2, open: 1 },
      oldestUnknown: expect.objectContaining({ id: sending.id, ownerLives: true }),
      latestMs: nowMs + 7,
    });
  });

  test('makes nothing where there is none, and tells what is no journal', async () => {
    const path = join(newFolder(), 'journal.db');
    expect(() => lookAtJournal(path)).toThrow(expect.objectContaining({ kind: 'not-writable' }));
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, 'dear diary '.repeat(99));
    expect(() => lookAtJournal(path)).toThrow(expect.objectContaining({ kind: 'damaged' }));
  });

  test.each([
    ['of another program', 'PRAGMA user_version = 1', false],
    ['whose set-up was killed', 'PRAGMA application_id = 0x62746a6c', true],
  ])('shows one %s as it is', (_what, sql, isJournal) => {
    const path = join(newFolder(), 'journal.db');
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    expect(lookAtJournal(path)).toMatchObject({ isJournal, counts: {}, proposals: {}, movedTo: undefined });
  });
});
