import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from '../../src/journal/postgres/migrate.ts';
import type { PostgresServer } from './server.ts';

/** A shared journal of its own, in a new database; gives back its URL. */
export async function newSharedJournal(server: PostgresServer): Promise<string> {
  const url = await server.newDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await migrate(client, 'botctl', randomBytes);
  } finally {
    await client.end();
  }
  return url;
}
