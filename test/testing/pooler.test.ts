import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  pgbouncer,
  startPooler,
  startPretendPooler,
  withoutPgbouncer,
} from '../../testing/postgres/pooler.ts';
import { sharedServer } from '../../testing/postgres/server.ts';

/** The process that a client was told of, and the one that works for it. */
async function processesOf(url: string): Promise<{ told: number; works: number }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return { told: (client as unknown as { processID: number }).processID, works: rows[0]?.pid ?? 0 };
}

describe('what stands between a client and PostgreSQL', () => {
  test('is nothing where the process told is the one that works', async () => {
    const server = await sharedServer();
    const { told, works } = await processesOf(server.url);
    expect(told).toBe(works);
  });

  test('is a pooler, or pretends to be one, where they differ', async () => {
    const server = await sharedServer();
    const pretended = await startPretendPooler(server);
    onTestFinished(() => pretended.close());
    const { told, works } = await processesOf(pretended.through(server.url));
    expect(told).not.toBe(works);
  });

  test.skipIf(pgbouncer === undefined)(
    `is a real PgBouncer where they differ${withoutPgbouncer}`,
    async () => {
      const server = await sharedServer();
      const pooler = await startPooler(server);
      onTestFinished(() => pooler.close());
      const { told, works } = await processesOf(pooler.through(server.url));
      expect(told).not.toBe(works);
    },
  );
});
