import { DatabaseSync } from '@photostructure/sqlite';

/** Damages a journal as a few flipped bits can, bypassing everything that guards it. */
export function damageJournal(path: string, sql: string): void {
  const database = new DatabaseSync(path, { defensive: false });
  database.exec('PRAGMA ignore_check_constraints = ON');
  const { schema_version: changes } = database.prepare('PRAGMA schema_version').get() as Record<
    string,
    number
  >;
  const found = database.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all();
  const triggers = found as { name: string; sql: string }[];
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  database.exec(sql);
  for (const trigger of triggers) database.exec(trigger.sql);
  database.exec(`PRAGMA schema_version = ${changes}`);
  database.close();
}
