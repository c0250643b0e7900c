import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFile } from '../../../../src/once/journal/file/opening.ts';
import { newPath } from '../../../support/journals.ts';
import { describeBreaches } from '../contract/breaches.ts';

const inSqlite = (sql: string) => sql.replaceAll('@body', `x'7b7d'`).replaceAll('@other', `x'7b'`);

describeBreaches('a journal in a file', async () => {
  const { database } = openFile(newPath());
  return {
    run: async (sql) => database.exec(inSqlite(sql)),
    row: async (sql) => {
      const row = database.prepare(sql).get();
      return row && Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
    },
    close: async () => database.close(),
  };
});

// SQLite replaces a row without asking the rules for deletion.
test('no statement of ours replaces a row', () => {
  const src = join(import.meta.dirname, '../../../../src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  const ours = files.filter((path) => path.endsWith('.ts') && !path.startsWith('sandbox'));
  expect(ours.length).toBeGreaterThan(100);
  const replacing = ours.filter((path) =>
    /\bOR\s+REPLACE\b|\bREPLACE\s+INTO\b/u.test(readFileSync(join(src, path), 'utf8')),
  );
  expect(replacing).toEqual([]);
});
