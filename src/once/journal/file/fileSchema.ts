// SQL: the schema of a journal in a file.
import { createHash } from 'node:crypto';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Dialect } from '../dialect.ts';
import type { Known } from '../note.ts';
import { valuesInOrder } from '../rows.ts';
import { consequences, deletion, rules, tables, tablesNeverDeletedFrom } from '../schema.ts';
import { verbsIn, whichAreRecorded } from '../verbs.ts';
import { cellsOf } from './sqliteErrors.ts';

export const fileDialect: Dialect = {
  value: '?',
  table: (name) => name,
  position: 'instr',
  unindexed: (column) => `+${column}`,
  each: (value) => `(SELECT value AS one FROM json_each(${value}))`,
  withOwner: (table) => `${table}.*`,
};

export const fileVerbs = verbsIn(fileDialect);

/** The salt is random for each journal, so that a token's hash is of no use elsewhere. */
const own = `
INSERT INTO meta (name, value) VALUES ('journal-id', randomblob(16)), ('salt', randomblob(32));
`;

const fileRules = [
  ...rules,
  ...tablesNeverDeletedFrom.map((table) => [`DELETE ON ${table}`, 'true', deletion] as const),
];

const nameOf = (on: string): string => on.toLowerCase().replaceAll(' ', '_');

/** One trigger for each event checks all of its rules. */
const triggers = [...new Set(fileRules.map(([on]) => on))].map((on) => {
  const refusals = fileRules
    .filter((rule) => rule[0] === on)
    .map(([, when, message]) => `WHEN ${when} THEN RAISE(ABORT, '${message}')`);
  return `CREATE TRIGGER ${nameOf(on)}_keeps BEFORE ${on} BEGIN SELECT CASE ${refusals.join('\n    ')} END; END;`;
});

const afterwards = consequences.map(
  ([on, when, does]) => `CREATE TRIGGER ${nameOf(on)}_goes_on AFTER ${on} WHEN ${when} BEGIN ${does}; END;`,
);

export const rulesOfFile = [...triggers, ...afterwards].join('\n');

// The first INSERTs come before the rules, which protect the id and the salt.
export const fileSchema = [tables, own, rulesOfFile].join('\n');

/** SQLite counts the changes of a schema. In a new journal there is one for each part. */
export const changesOfNew = fileSchema.match(/^CREATE /gmu)?.length;

/** The noted attempts and decisions that the journal lacks. */
export function lackedByFile(database: DatabaseSyncInstance, noted: readonly Known[]): Known[] {
  if (noted.length === 0) return [];
  const [statement, values] = whichAreRecorded(fileDialect, noted);
  const held = database.prepare(statement.text).all(...valuesInOrder(statement, values));
  const places = new Set(held.map(({ nth }) => nth));
  return noted.filter((_known, nth) => !places.has(nth));
}

/** Whether the schema is as botctl made it. The count of changes may differ in a copy: then the text decides. */
export function isOurSchema(database: DatabaseSyncInstance, changes: number): boolean {
  return changes === changesOfNew || isSameSchema(database);
}

/**
 * Whether a journal is undamaged: its pages, its rows by the schema's checks, and the text of its schema, in which no
 * other check finds a flipped bit. Slow, so called only if something is already wrong.
 */
export function isSchemaWhole(database: DatabaseSyncInstance): boolean {
  try {
    const checked = database.prepare('PRAGMA integrity_check(1)').get() as { integrity_check?: string };
    return checked.integrity_check === 'ok' && isSameSchema(database);
  } catch {
    return false;
  }
}

function isSameSchema(database: DatabaseSyncInstance): boolean {
  const fresh = new DatabaseSync(':memory:');
  try {
    fresh.exec(fileSchema);
    return fingerprintOf(database) === fingerprintOf(fresh);
  } finally {
    fresh.close();
  }
}

/** A hash of the schema's text without blanks: SQLite puts different blanks around a column that it adds. */
export function fingerprintOf(database: DatabaseSyncInstance): string {
  const parts = cellsOf(
    database,
    `SELECT tell(type || ' ' || name || ' ' || coalesce(sql, '')) FROM sqlite_schema`,
  );
  return createHash('sha256').update(parts.sort().join('\n').replaceAll(/\s+/gu, '')).digest('hex');
}
