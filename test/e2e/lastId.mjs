import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

/** `{id}` is the latest entry of the home's journal: a decision without a question takes nothing but a whole ID. */
export function withLastId(argv, env) {
  const path = join(env.XDG_DATA_HOME, 'botctl', 'journal.db');
  if (!argv.includes('{id}') || !existsSync(path)) return argv;
  const journal = new DatabaseSync(path, { readOnly: true });
  const { id } = journal.prepare('SELECT id FROM entries ORDER BY seq DESC LIMIT 1').get() ?? {};
  journal.close();
  return argv.map((word) => (word === '{id}' ? (id ?? word) : word));
}
