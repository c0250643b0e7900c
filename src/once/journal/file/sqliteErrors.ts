import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { diskTroubleOf } from '../../../machine/disk.ts';
import { Failure } from '../../failures.ts';
import { journalFailure, type Move } from '../failures.ts';
import { DamagedRow } from '../rows.ts';
import { schemaVersion } from '../schema.ts';

const primary = {
  error: 1,
  permission: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  protocol: 15,
  constraint: 19,
  notADatabase: 26,
};

// Our statements name only what every journal has. If something is missing, the schema itself is damaged.
const lostSchema = /^no such (table|column|index)|malformed|unsupported file format|has no column/u;

// SQLite's own words, for calls where the binding gives no number (reading several rows).
const wordings: readonly (readonly [RegExp, number])[] = [
  [/database disk image is malformed/u, primary.corrupt],
  [/file is not a database/u, primary.notADatabase],
  // SQLite says this of a number that no column of ours has, so the file is damaged.
  [/too large to be represented/u, primary.corrupt],
  [/database or disk is full/u, primary.full],
  [/disk I\/O error/u, primary.ioError],
  [/database (table )?is locked/u, primary.busy],
  [/attempt to write a readonly database/u, primary.readOnly],
  [/unable to open database file/u, primary.cantOpen],
];

function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return wordings.find(([wording]) => wording.test(error.message))?.[1];
}

/** Turns SQLite's error into a failure with a name. Returns anything else unchanged. */
export function sqliteFailure(error: unknown, path: string): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  // The binding throws a RangeError for a number that no column of ours can have.
  if (error instanceof DamagedRow || error instanceof RangeError) return damaged(path, error);
  const code = sqliteCodeOf(error);
  if (code === primary.corrupt || code === primary.notADatabase) return damaged(path, error);
  if (code === primary.error && lostSchema.test(error.message)) return damaged(path, error);
  if (code === primary.busy || code === primary.locked) {
    return journalFailure('busy', { path }, error);
  }
  const { permission, readOnly, ioError, full, cantOpen, protocol } = primary;
  const known = [permission, readOnly, ioError, full, cantOpen, protocol] as (number | undefined)[];
  if (known.includes(code) || 'syscall' in error)
    return journalFailure('not-writable', { path, trouble: diskTroubleOf(error) }, error);
  return error;
}

/** One of our own checks refused it: a bug in botctl, or damage to the data. */
export function isConstraint(error: unknown): boolean {
  return sqliteCodeOf(error) === primary.constraint;
}

/** While a file is being opened, our statements cannot be wrong. If SQLite does not understand one, that is damage. */
export function openingFailure(error: unknown, path: string): unknown {
  const failure = sqliteFailure(error, path);
  return failure === error && sqliteCodeOf(error) === primary.error ? damaged(path, error) : failure;
}

/**
 * The moves that put the database and its log aside, under names that show that they belong together. The note stays:
 * it shows what the journal that takes their place lacks.
 */
function keepingAside(path: string): Move[] {
  const whole = resolve(path);
  // Files that were moved aside earlier stay.
  let target = `${whole}.damaged`;
  for (let count = 2; ['', '-wal'].some((end) => existsSync(`${target}${end}`)); count += 1)
    target = `${whole}.damaged-${count}`;
  return ['', '-wal']
    .filter((end) => existsSync(`${whole}${end}`))
    .map((end) => ({ from: `${whole}${end}`, to: `${target}${end}` }));
}

export function damaged(path: string, cause?: unknown): Failure {
  return journalFailure('damaged', { path, moves: keepingAside(path) }, cause);
}

// 'btjl': tells a journal from another program's database.
export const applicationId = 0x62746a6c;

export function pragma(database: DatabaseSyncInstance, name: string): unknown {
  return Object.values(database.prepare(/* sql */ `PRAGMA ${name}`).get() ?? {})[0];
}

/**
 * Returns what a query passes to `tell`. No statement is prepared, because a connection that has one keeps its locks
 * after it is closed.
 */
export function cellsOf(database: DatabaseSyncInstance, query: string): unknown[] {
  const cells: unknown[] = [];
  database.function('tell', (cell: unknown) => {
    cells.push(cell);
    return null;
  });
  database.exec(query);
  return cells;
}

/** Records that the journal begins no attempt from now on. */
export function close(
  database: DatabaseSyncInstance,
  kind: string,
  ...why: [who: string, atMs: number, reason: string]
) {
  const closing = /* sql */ 'INSERT INTO closings (kind, who, at, reason) VALUES (?, ?, ?, ?)';
  database.prepare(closing).run(kind, ...why);
}

export type Versions = ReturnType<typeof versionsOf>;

/** What a database says about itself: which program made it, and which versions. */
export function versionsOf(database: DatabaseSyncInstance) {
  // Makes SQLite read the whole schema, so that damage to it is found now and not at the first statement.
  database.prepare(/* sql */ 'SELECT 1 FROM sqlite_schema LIMIT 1').get();
  return {
    version: Number(pragma(database, 'user_version')),
    /** SQLite's own count of changes to the schema. */
    changes: Number(pragma(database, 'schema_version')),
    applicationId: Number(pragma(database, 'application_id')),
  };
}

/** Refuses another program's database, and a journal of another version. An empty file is neither. */
export function refuseForeign(
  { version, changes, applicationId: id }: Versions,
  path: string,
  alsoKnown = schemaVersion,
): void {
  const isEmpty = version === 0 && changes === 0;
  if ((id !== applicationId && !isEmpty) || version < 0) throw damaged(path);
  if (![0, schemaVersion, alsoKnown].includes(version))
    throw journalFailure('other-version', { path, version, known: schemaVersion });
}
