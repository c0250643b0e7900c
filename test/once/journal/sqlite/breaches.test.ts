import { expect, test } from 'vitest';
import { openFile } from '../../../../src/once/journal/file/opening.ts';
import { newPath } from '../../../../testing/journals.ts';
import { beginning, describeBreaches } from '../contract/breaches.ts';

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

const attempt = 'INSERT INTO attempts (entry, number, started_at) VALUES (1, 1, 1)';
const decision = `INSERT INTO decisions (seq, entry, kind, who, at, reason) VALUES (1, 1, 'happened', 'w', 1, 'r')`;

test.each([
  ['entries', beginning({ seq: 'NULL', key: `'k2'` })],
  ['entries, by key', beginning({ seq: 'NULL', id: `'j'` })],
  ['attempts', attempt],
  ['decisions', decision],
])('a file replaces nothing in %s', (_table, statement) => {
  const { database } = openFile(newPath());
  for (const sql of [beginning(), attempt, decision]) database.exec(inSqlite(sql));
  const replacing = inSqlite(statement).replace('INSERT', 'INSERT OR REPLACE');
  expect(() => database.exec(replacing)).toThrow('nothing is replaced in the journal');
  database.close();
});
