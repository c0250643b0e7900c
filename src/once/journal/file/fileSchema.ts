// SQL: the schema of a journal in a file.
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { SchemaPart } from '../facts.ts';
import { consequences, deletion, kept, rules, tables } from '../schema.ts';

/** What only a file has: the salt, random for each journal, so that a token's hash is of no use elsewhere, and losses. */
const own = `
-- Kept twice: if a bit of it flipped, no token would be recognised again, and nothing would show why.
INSERT INTO meta (name, value) VALUES ('salt', randomblob(32));
INSERT INTO meta (name, value) SELECT 'salt-again', value FROM meta WHERE name = 'salt';

-- Numbers that were given to rows which are lost. New rows get higher ones.
CREATE TABLE losses (
  seq         INTEGER PRIMARY KEY,
  what        TEXT NOT NULL CHECK (what IN ('mark', 'intents', 'attempts', 'decisions')),
  first_lost  INTEGER,
  last_lost   INTEGER,
  who         TEXT NOT NULL,
  at          INTEGER NOT NULL,
  CHECK ((what = 'mark') = (last_lost IS NULL)),
  CHECK ((first_lost IS NULL) = (last_lost IS NULL) AND first_lost <= last_lost)
) STRICT;
`;

/** INSERT OR REPLACE deletes rows without running the triggers for deletion. */
const replaced: readonly (readonly [table: string, same: readonly string[]])[] = [
  [
    'intents',
    ['seq = NEW.seq OR id = NEW.id', 'key = NEW.key AND base_url = NEW.base_url AND kind = NEW.kind'],
  ],
  ['attempts', ['seq = NEW.seq', 'intent = NEW.intent AND number = NEW.number']],
  ['decisions', ['seq = NEW.seq']],
  ['receipts', ['seq = NEW.seq', 'value = NEW.value AND what = NEW.what AND origin = NEW.origin']],
  ['observations', ['seq = NEW.seq']],
];

const fileRules = [
  ...rules,
  ...replaced.map(
    ([table, same]) =>
      [
        `INSERT ON ${table}`,
        same.map((one) => `EXISTS (SELECT 1 FROM ${table} WHERE ${one})`).join(' OR '),
        'nothing is replaced in the journal',
      ] as const,
  ),
  ['UPDATE ON losses', 'true', 'a loss stands as it was accepted'] as const,
  ...[...kept, 'losses'].map((table) => [`DELETE ON ${table}`, 'true', deletion] as const),
];

const nameOf = (on: string): string => on.toLowerCase().replaceAll(' ', '_');

/** One trigger for an event checks all of its rules. */
const triggers = [...new Set(fileRules.map(([on]) => on))].map((on) => {
  const refusals = fileRules
    .filter((rule) => rule[0] === on)
    .map(([, when, says]) => `WHEN ${when} THEN RAISE(ABORT, '${says}')`);
  return `CREATE TRIGGER ${nameOf(on)}_keeps BEFORE ${on} BEGIN SELECT CASE ${refusals.join('\n    ')} END; END;`;
});

const afterwards = consequences.map(
  ([on, when, does]) => `CREATE TRIGGER ${nameOf(on)}_goes_on AFTER ${on} WHEN ${when} BEGIN ${does}; END;`,
);

// A table with AUTOINCREMENT and triggers takes a third longer for each row. `numberedOn` numbers its rows instead.
const unnumbered = tables.replaceAll(' AUTOINCREMENT', '');

export const fileSchema = [unnumbered, own, ...triggers, ...afterwards].join('\n');

/** With the next number, above those of rows that are lost. */
export function numberedOn(table: string, insert: string): string {
  const next = `1 + max(coalesce((SELECT max(seq) FROM ${table}), 0),
    coalesce((SELECT max(last_lost) FROM losses WHERE what = '${table}'), 0))`;
  return insert.replace('(', '(seq, ').replace('VALUES (', `VALUES (${next}, `);
}

/** SQLite counts the changes of a schema, so that a new journal has this number: one for each part. */
const changesOfNew = fileSchema.match(/^CREATE /gmu)?.length;

type Part = { readonly type: string; readonly name: string; readonly sql: string };

const readParts = 'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL';

/** What somebody took away from the schema, or changed in it. */
export function missingParts(database: DatabaseSyncInstance, changes: number): SchemaPart[] {
  if (changes === changesOfNew) return [];
  return comparedToNew((fresh) => {
    const there = new Map(partsOf(database).map(({ name, sql }) => [name, sql]));
    return partsOf(fresh).flatMap(({ type, name, sql }): SchemaPart[] => {
      if (there.get(name) === sql) return [];
      const is = type === 'trigger' ? 'rule' : (type as SchemaPart['is']);
      const columns = is === 'table' && there.has(name) ? missingColumns(name, fresh, database) : [];
      return columns.length > 0 ? columns : [{ is, name }];
    });
  });
}

function partsOf(database: DatabaseSyncInstance): Part[] {
  return database.prepare(readParts).all() as Part[];
}

function missingColumns(
  table: string,
  fresh: DatabaseSyncInstance,
  there: DatabaseSyncInstance,
): SchemaPart[] {
  const [wanted, have] = [fresh, there].map((one) =>
    (one.prepare('SELECT name FROM pragma_table_info(?)').all(table) as Part[]).map(({ name }) => name),
  );
  const missing = wanted?.filter((name) => !have?.includes(name)) ?? [];
  return missing.map((name) => ({ is: 'column', name: `${table}.${name}` }));
}

/**
 * Whether a journal is as it was written: its pages, its rows by the schema's checks, and the text of its schema, where
 * a flipped bit shows nowhere else. Slow, so called only if something is wrong already.
 */
export function isSchemaWhole(database: DatabaseSyncInstance): boolean {
  try {
    const checked = database.prepare('PRAGMA integrity_check(1)').get() as { integrity_check?: string };
    return (
      checked.integrity_check === 'ok' && comparedToNew((fresh) => schemaOf(database) === schemaOf(fresh))
    );
  } catch {
    return false;
  }
}

function schemaOf(database: DatabaseSyncInstance): string {
  return JSON.stringify(
    database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all(),
  );
}

function comparedToNew<Result>(compare: (fresh: DatabaseSyncInstance) => Result): Result {
  const fresh = new DatabaseSync(':memory:');
  try {
    fresh.exec(fileSchema);
    return compare(fresh);
  } finally {
    fresh.close();
  }
}
