// SQL: putting a journal's file into a shared journal that has no entry yet.
import type { SourceFile } from '../once/journal/file/sourceFile.ts';
import type { JournalRow } from '../once/journal/rows.ts';
import { tablesNeverDeletedFrom } from '../once/journal/schema.ts';
import { lockOfWriters } from './base.ts';
import { sharedFailure } from './failures.ts';
import { takingItsTime } from './handshake.ts';
import { onlyIn } from './sql.ts';
import { type Asking, inOneCommit } from './upkeep.ts';

/** The tables that are imported, in this order. */
const tables = tablesNeverDeletedFrom.filter((table) => table !== 'meta');

/** The tables whose rows have numbers: new rows are numbered after those of the file. */
const numbered = tables.filter((table) => table !== 'batches');

/** Imports the file in one commit, with its salt: tokens stay recognised. A second run finds its id and extent. */
export async function importFile(shared: Asking, source: SourceFile): Promise<void> {
  const { connection, schema, place } = shared;
  await inOneCommit(
    connection,
    () => putInto(shared, source),
    (error) => sharedFailure('may-not-migrate', { place, schema }, error),
    ...[...takingItsTime, onlyIn(schema), lockOfWriters(schema)],
  );
}

async function putInto({ connection, schema, place }: Asking, source: SourceFile): Promise<void> {
  const id = Buffer.from(source.meta('journal-id'));
  const taken = Buffer.concat([id, Buffer.from(` ${source.extent}`)]);
  const [row] = (await connection.query(imported)).rows;
  const before = Buffer.from((row?.value ?? '') as Uint8Array);
  if (before.equals(taken)) return;
  // An earlier import was committed and killed before it marked the file as moved; since then the file has changed.
  if (before.subarray(0, id.length).equals(id)) throw sharedFailure('went-on', { place });
  if (source.moved !== undefined) throw source.moved;
  if ((await connection.query(anyEntry)).rows.length > 0) throw sharedFailure('not-empty', { place });
  // The rules check single steps, and these rows are the result of many.
  for (const table of tablesNeverDeletedFrom)
    await connection.query(/* sql */ `ALTER TABLE ${table} DISABLE TRIGGER USER`);
  for (const table of tables)
    for (const page of source.pages(table))
      await connection.query(intoTable(table), [JSON.stringify(page.map(asJson))]);
  for (const table of numbered) await connection.query(countOn(table), [`${schema}.${table}`]);
  await connection.query(/* sql */ `UPDATE meta SET value = $1 WHERE name = 'salt'`, [
    Buffer.from(source.meta('salt')),
  ]);
  await connection.query(/* sql */ `INSERT INTO meta (name, value) VALUES ('imported', $1)`, [taken]);
  for (const table of tablesNeverDeletedFrom)
    await connection.query(/* sql */ `ALTER TABLE ${table} ENABLE TRIGGER USER`);
}

const imported = /* sql */ `SELECT value FROM meta WHERE name = 'imported'`;
const anyEntry = /* sql */ 'SELECT FROM entries LIMIT 1';

/** Both journals have the same columns, with the same names. */
const intoTable = (table: string): string => /* sql */ `INSERT INTO ${table}
  SELECT * FROM json_populate_recordset(NULL::${table}, $1::json)`;

const countOn = (table: string): string => /* sql */ `SELECT setval(pg_get_serial_sequence($1, 'seq'),
  (SELECT greatest(max(seq), 1) FROM ${table}), EXISTS (SELECT FROM ${table}))`;

/** Writes bytes in hex, as PostgreSQL reads them. Its text must not contain NUL, and must be Unicode. */
function asJson(row: JournalRow): JournalRow {
  return Object.fromEntries(
    Object.entries(row).map(([column, cell]) => {
      if (cell instanceof Uint8Array) return [column, `\\x${Buffer.from(cell).toString('hex')}`];
      return [column, typeof cell === 'string' ? cell.replaceAll('\0', '\ufffd').toWellFormed() : cell];
    }),
  );
}
