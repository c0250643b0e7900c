import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { journalFailure } from '../facts.ts';
import { migrations } from './migrations.ts';
import { damaged } from './sqliteFaults.ts';

// 'btjl': a database of another program is not taken for a journal.
export const applicationId = 0x62746a6c;

// 'botc': its versions were counted before the first release, and mean something else.
const unreleasedId = 0x626f7463;

export function pragma(database: DatabaseSyncInstance, name: string): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown> | undefined;
  return row === undefined ? undefined : Object.values(row)[0];
}

/** What a database says it is: whose, and of which versions. */
type Versions = {
  readonly version: number;
  readonly schemaVersion: number;
  readonly applicationId: number;
};

export function versionsOf(database: DatabaseSyncInstance): Versions {
  // Makes SQLite read all of the schema: what is wrong with it is found now, not at the first statement.
  database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
  return {
    version: Number(pragma(database, 'user_version')),
    schemaVersion: Number(pragma(database, 'schema_version')),
    applicationId: Number(pragma(database, 'application_id')),
  };
}

/** Throws where a journal was made before the first release; its tables are not looked at. */
export function refuseUnreleased(id: number, path: string): void {
  if (id === unreleasedId) throw journalFailure('unreleased', { path });
}

export function refuseForeign({ version, schemaVersion, applicationId: id }: Versions, path: string): void {
  refuseUnreleased(id, path);
  const isEmpty = version === 0 && schemaVersion === 0;
  if (id !== applicationId && !isEmpty) throw damaged(path);
  if (version < 0) throw damaged(path);
  const known = migrations.length;
  if (version > known) throw journalFailure('newer', { path, version, known });
}
