import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileDialect, fileVerbs } from '../../../src/once/journal/file/fileSchema.ts';
import { Note } from '../../../src/once/journal/known.ts';
import { type Base, Store } from '../../../src/once/journal/store.ts';
import { newEntry, nowMs } from '../../../testing/journals.ts';

/** A database that rolls each first try of a commit back, as a server whose connection breaks. */
const rollsBackOnce: Base = {
  dialect: fileDialect,
  verbs: fileVerbs,
  owners: { self: () => 'me', lives: () => false, endOwner: async () => true },
  reads: { ownerLives: async () => false, processOf: async () => undefined },
  ask: async () => [],
  transact: async (work) => {
    await work(async () => [], rollsBackOnce.reads);
    return work(async () => [], rollsBackOnce.reads);
  },
  failedAsWhole: () => false,
  notNoted: () => undefined,
};

test('what was rolled back is not noted as what the journal acknowledged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-store-'));
  try {
    const note = new Note(join(folder, 'note'));
    let isFirst = true;
    await new Store(rollsBackOnce, note).commit(async (tx) => {
      // The second time another machine has begun it.
      if (isFirst) await tx.begin(newEntry(), 'hash', nowMs);
      isFirst = false;
    });
    expect(note.noted()).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
