import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Home } from '../test/support/home.ts';

export type Kept = {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly attempts: number;
};

export function journalOf(home: Home): string {
  return join(home.path, 'data', 'botctl', 'journal.db');
}

/** The entries in a journal's file, read without botctl. Reading changes nothing. */
export function entriesIn(path: string): Kept[] {
  if (!existsSync(path)) return [];
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return database.prepare('SELECT id, key, state, attempts FROM entries ORDER BY seq').all() as Kept[];
  } catch (error) {
    // Its process died before the tables were committed.
    if (error instanceof Error && /no such table|write a readonly database/u.test(error.message)) return [];
    throw error;
  } finally {
    database.close();
  }
}
