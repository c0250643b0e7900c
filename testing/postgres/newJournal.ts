import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from '../../src/journal/postgres/migrate.ts';
import type { PostgresServer } from './server.ts';

export type JournalOptions = {
  /** How long an owner counts as alive that is not heard of. */
  readonly leaseMs?: number;
};

/** A shared journal of its own, in a new database; gives back its URL. */
export async function newSharedJournal(
  server: PostgresServer,
  { leaseMs }: JournalOptions = {},
): Promise<string> {
  const url = await server.newDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await migrate(client, 'botctl', randomBytes);
    if (leaseMs !== undefined)
      await client.query(`UPDATE botctl.meta SET value = convert_to($1, 'UTF8') WHERE name = 'lease-ms'`, [
        String(leaseMs),
      ]);
  } finally {
    await client.end();
  }
  return url;
}
