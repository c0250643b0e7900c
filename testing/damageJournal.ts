import { DatabaseSync } from '@photostructure/sqlite';

/** Damages a journal as a few flipped bits can, bypassing everything that guards it. */
export function damageJournal(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA ignore_check_constraints = ON');
  const triggers = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all();
  for (const { name } of triggers as { name: string }[]) database.exec(`DROP TRIGGER ${name}`);
  database.exec(sql);
  database.close();
}
