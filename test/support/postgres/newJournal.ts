import { migrate } from '../../../src/postgres/handshake.ts';
import { connected } from './client.ts';
import type { PostgresServer } from './server.ts';

/** Creates a shared journal in a new database and returns its URL. */
export async function newSharedJournal(server: PostgresServer): Promise<string> {
  const url = await server.newDatabase();
  const client = await connected({ connectionString: url });
  try {
    await migrate(client, 'botctl');
  } finally {
    await client.end();
  }
  return url;
}
