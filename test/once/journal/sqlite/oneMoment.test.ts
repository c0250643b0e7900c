import { expect, test, vi } from 'vitest';
import { openFile } from '../../../../src/once/journal/sqlite/sqliteFile.ts';
import type * as statement from '../../../../src/once/journal/sqlite/statements.ts';
import { newPath, opened } from '../../../../testing/journals.ts';

let before: (sql: string) => void = () => undefined;
vi.mock(import('../../../../src/once/journal/sqlite/statements.ts'), async (original) => {
  const real: typeof statement = await original();
  return {
    ...real,
    prepare: (database, sql) => {
      before(sql);
      return real.prepare(database, sql);
    },
  };
});

// Statements alone: what is between two others of one breath cannot wait for its turn.
const beginSame = `
  INSERT INTO intents (id, kind, base_url, bot, key, identity, fingerprint, body, state, owner, created_at, updated_at)
  VALUES ('i', 'message', 'u', 'b', 'k', 'same', 'f', x'7b7d', 'sending', 'o', 1, 1)`;

test('that another process begins during a look is no damage', async () => {
  const path = newPath();
  const ours = opened(path);
  const { database: theirs } = openFile(path);
  let begun = 0;
  before = (sql) => {
    // Between the look by the index and the look at the latest rows.
    if (!sql.includes('AS same') || begun > 0) return;
    begun += 1;
    theirs.exec(beginSame);
  };
  expect(await ours.findUnnamed('same')).toBeUndefined();
  expect(begun).toBe(1);
  expect(await ours.findUnnamed('same')).toMatchObject({ id: 'i' });
  theirs.close();
});
