import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { newerJournal } from '../../words/journal.ts';
import { migrations } from './migrations.ts';
import { damaged } from './sqliteFaults.ts';

// 'botc': a database of another program is not taken for a journal.
export const applicationId = 0x626f7463;

export function pragma(database: DatabaseSyncInstance, name: string): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown> | undefined;
  return row === undefined ? undefined : Object.values(row)[0];
}

/**
 * Added to the version of a journal that was copied elsewhere and sends nothing more: a botctl that knows nothing of
 * that takes it for one of a newer botctl, and refuses it.
 */
export const movedStep = 1_000_000;

export function isMovedVersion(version: number): boolean {
  return version >= movedStep;
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

export function refuseForeign({ version, schemaVersion, applicationId: id }: Versions, path: string): void {
  const isEmpty = version === 0 && schemaVersion === 0;
  if (id !== applicationId && !isEmpty) throw damaged(path, 'at-opening');
  if (version < 0) throw damaged(path, 'at-opening');
  if (version % movedStep <= migrations.length) return;
  throw newerJournal(path, version, migrations.length);
}
