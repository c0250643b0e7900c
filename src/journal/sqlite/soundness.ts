import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { migrations } from './migrations.ts';

/**
 * Whether a journal is as it was written: its pages, what its checks say of its rows, and the text of its own
 * schema, in which a flipped bit shows nowhere else. Slow, and asked only where something is wrong already.
 */
export function isSound(database: DatabaseSyncInstance): boolean {
  try {
    const checked = database.prepare('PRAGMA integrity_check(1)').get() as { integrity_check?: string };
    return checked.integrity_check === 'ok' && schemaOf(database) === freshSchema();
  } catch {
    return false;
  }
}

function schemaOf(database: DatabaseSyncInstance): string {
  return JSON.stringify(
    database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all(),
  );
}

function freshSchema(): string {
  const fresh = new DatabaseSync(':memory:');
  try {
    for (const step of migrations) fresh.exec(step);
    return schemaOf(fresh);
  } finally {
    fresh.close();
  }
}
