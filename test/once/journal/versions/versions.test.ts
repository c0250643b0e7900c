// Journals of earlier versions, each made by the botctl of that time.
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { openFile } from '../../../../src/once/journal/file/opening.ts';
import { openJournal } from '../../../../src/once/journal/file/openJournal.ts';
import { cellsOf } from '../../../../src/once/journal/file/sqliteErrors.ts';
import { backUp } from '../../../../src/once/journal/file/upkeep.ts';
import { Note } from '../../../../src/once/journal/note.ts';
import { tablesNeverDeletedFrom } from '../../../../src/once/journal/schema.ts';
import { failureOf } from '../../../support/failure.ts';
import { runMain } from '../../../support/inProcess.ts';
import { allOf, inHand, newFolder, newPath, nowMs } from '../../../support/journals.ts';
import { buildJournal } from '../sqlite/journalProcess.ts';

type Row = Record<string, unknown>;

/** A copy of the journal that number 4 left, with entries in every state. */
function ofVersion4(change = ''): string {
  const path = join(newFolder(), 'journal.db');
  copyFileSync(join(import.meta.dirname, '4.db'), path);
  if (change !== '') run(path, change);
  return path;
}

function run(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** Read from a copy: a connection that has prepared a statement keeps its locks after it is closed. */
function rowsOf(path: string, table: string): Row[] {
  const copy = join(newFolder(), 'copy.db');
  for (const end of ['', '-wal'])
    if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${copy}${end}`);
  const database = new DatabaseSync(copy);
  try {
    return database
      .prepare(`SELECT * FROM ${table} ORDER BY ${table.startsWith('pragma') ? 1 : 'rowid'}`)
      .all() as Row[];
  } finally {
    database.close();
  }
}

const newNames: Row = { in_doubt: 'was_in_doubt', may_have_landed_at: 'in_doubt_since' };
const gone = ['approved', 'verified'];

const asNow = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, cell]) =>
      gone.includes(name) ? [] : [[String(newNames[name] ?? name), cell]],
    ),
  );

const tablesOf4 = tablesNeverDeletedFrom.filter((table) => table !== 'closings');

describe('a journal of version 4', () => {
  test('opens with everything as it was', async () => {
    const path = ofVersion4();
    const isNew = (table: string): Row => (table === 'decisions' ? { needs: null } : {});
    const before = tablesOf4.map((table) =>
      rowsOf(path, table).map((row) => ({ ...asNow(row), ...isNew(table) })),
    );
    const journal = inHand(openJournal(path));
    expect(await journal.closings()).toEqual([]);
    expect(await allOf(journal.select({ limit: 99 }))).toHaveLength(21);
    await journal.close();
    expect(tablesOf4.map((table) => rowsOf(path, table))).toEqual(before);
    expect(rowsOf(path, 'closings')).toEqual([]);
  });

  test('is told as it was, approvals too, which no column says any more', async () => {
    const { stdout } = await runMain(['history', '--json', '--limit', '500', '--journal', ofVersion4()]);
    const before = readFileSync(join(import.meta.dirname, '4.jsonl'), 'utf8');
    const toldThen = before
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { verified, ...rest } = JSON.parse(line);
        return rest;
      });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(toldThen);
  });

  test('has then, but for blanks, the schema of a new one, and its count of changes', async () => {
    const [path, fresh] = [ofVersion4(), newPath()];
    for (const one of [path, fresh]) openFile(one).database.close();
    const schemaOf = (one: string) =>
      rowsOf(one, 'sqlite_schema').map(({ type, name, sql }) =>
        `${type} ${name} ${sql}`.replaceAll(/\s+/gu, ''),
      );
    expect(schemaOf(path).sort()).toEqual(schemaOf(fresh).sort());
    for (const name of ['schema_version', 'user_version', 'application_id'])
      expect(rowsOf(path, `pragma_${name}`)).toEqual(rowsOf(fresh, `pragma_${name}`));
  });

  test('that was moved stays so', async () => {
    const path = ofVersion4(`INSERT INTO meta (name, value) VALUES ('moved-to', x'6462')`);
    expect(await failureOf(() => openJournal(path).close())).toMatchObject({
      ...{ code: 'journal-moved', fields: { place: 'db' } },
    });
    expect(rowsOf(path, 'closings')).toMatchObject([{ kind: 'moved', reason: 'db', ended_at: null }]);
    expect(rowsOf(path, 'meta').map(({ name }) => name)).toEqual(['journal-id', 'salt']);
  });

  test('that has lost something is brought up to date, and refused', async () => {
    const path = ofVersion4();
    new Note(`${path}.note`).note({ entry: 'gone', number: 1, atMs: nowMs });
    expect(await failureOf(() => openJournal(path).close())).toMatchObject({ code: 'journal-lost' });
    expect(rowsOf(path, 'pragma_user_version')).toEqual([{ user_version: 5 }]);
  });

  test.each([
    ['a rule was taken from', 'DROP TRIGGER update_on_entries_keeps', 'journal-schema'],
    ['a column was added to', 'ALTER TABLE entries ADD COLUMN more TEXT', 'journal-schema'],
    ['is another program’s', 'PRAGMA application_id = 7', 'journal-damaged'],
  ])('that %s is left unchanged', async (_what, change, code) => {
    const path = ofVersion4(change);
    run(path, 'PRAGMA wal_checkpoint(TRUNCATE)');
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    const before = readFileSync(path);
    for (const use of ['send', 'look'] as const)
      expect(await failureOf(() => openJournal(path, use).close())).toMatchObject({ code });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('whose log is not folded yet is brought up to date with it', async () => {
    const used = ofVersion4();
    const database = new DatabaseSync(used);
    database.exec(`INSERT INTO losses (who, at, detail) VALUES ('ada', 1, '{}')`);
    const path = join(newFolder(), 'journal.db');
    for (const end of ['', '-wal']) copyFileSync(`${used}${end}`, `${path}${end}`);
    database.close();
    await openJournal(path).close();
    expect(rowsOf(path, 'losses')).toHaveLength(2);
  });

  test('that another process has open is not brought up to date, and can be read there', async () => {
    const path = ofVersion4();
    const program = await buildJournal();
    const holder = new DatabaseSync(path);
    holder.exec('PRAGMA user_version; SELECT 1 FROM entries');
    const failure = await failureOf(() => openJournal(path, 'look').close());
    expect(failure).toMatchObject({ code: 'journal-busy', kind: 'in-use' });
    expect(cellsOf(holder, 'SELECT tell(count(*)) FROM entries WHERE in_doubt = 1')).toEqual([6]);
    holder.close();
    program.remove();
  });

  test('is brought up to date once by four pairs that open it at once', async () => {
    const program = await buildJournal();
    for (let round = 0; round < 4; round += 1) {
      const path = ofVersion4();
      const pair = [0, 1].map(() =>
        program.start(
          path,
          `const journal = openJournal(path);
           say(Object.values(await journal.reads.stateCounts()).reduce((a, b) => a + b));
           await journal.close();`,
        ),
      );
      expect(await Promise.all(pair.map(({ next }) => next()))).toEqual(['21', '21']);
      await Promise.all(pair.map(({ ended }) => ended()));
    }
    program.remove();
  });
});

test('a file out of WAL beside the log of another journal is refused, and left unchanged', async () => {
  const path = join(newFolder(), 'journal.db');
  const used = ofVersion4();
  await openJournal(used).close();
  await backUp(used, path, 'ada', nowMs);
  writeFileSync(`${path}-wal`, 'x'.repeat(512));
  const before = readFileSync(path);
  for (const use of ['send', 'look'] as const)
    expect(await failureOf(() => openJournal(path, use).close())).toMatchObject({ code: 'journal-damaged' });
  expect(readFileSync(path).equals(before)).toBe(true);
});
