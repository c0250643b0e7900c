import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { expect, test, vi } from 'vitest';
import { openFile } from '../../../../src/once/journal/file/opening.ts';
import { newPath, opened } from '../../../../testing/journals.ts';

let before = (): void => {};
vi.mock(import('@photostructure/sqlite'), async (original) => {
  const real = await original();
  class Watched extends real.DatabaseSync {
    override prepare(sql: string): ReturnType<DatabaseSyncInstance['prepare']> {
      return new Proxy(super.prepare(sql), {
        get: (statement, name) => {
          const method: unknown = Reflect.get(statement, name, statement);
          if (typeof method !== 'function') return method;
          return (...given: unknown[]) => {
            if (name === 'all' || name === 'get') before();
            return method.apply(statement, given);
          };
        },
      });
    }
  }
  return { ...real, DatabaseSync: Watched as typeof real.DatabaseSync };
});

// Statements alone: what is between two others of one breath cannot wait for its turn.
const beginSame = `
  INSERT INTO entries (id, kind, base_url, bot, key, identity, fingerprint, body, state, owner, created_at, updated_at)
  VALUES ('i', 'message', 'u', 'b', 'k', 'same', 'f', x'7b7d', 'sending', 'o', 1, 1)`;

test('that another process begins during a look is no damage, whenever it does', async () => {
  for (let nth = 1, isOver = false; !isOver; nth += 1) {
    const path = newPath();
    const ours = opened(path);
    const { database: theirs } = openFile(path);
    let asked = 0;
    before = () => {
      asked += 1;
      if (asked === nth) theirs.exec(beginSame);
    };
    const found = await ours.findUnnamed('same', 0);
    before = () => {};
    expect([undefined, 'i']).toContain(found?.id);
    isOver = asked < nth;
    if (!isOver) expect((await ours.findUnnamed('same', 0))?.id).toBe('i');
    theirs.close();
  }
});
