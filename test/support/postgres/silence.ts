import { connected } from './client.ts';

/**
 * Makes the server, and its journal, look as if they had been up for long, so that silent owners count as dead at once
 * instead of after a lease. Applies to later connections.
 */
export async function upForLong(url: string, schema = 'botctl'): Promise<void> {
  await onDatabase(
    url,
    `CREATE SCHEMA IF NOT EXISTS pretended;
     GRANT USAGE ON SCHEMA pretended TO PUBLIC;
     CREATE OR REPLACE FUNCTION pretended.pg_postmaster_start_time() RETURNS timestamptz
       LANGUAGE sql STABLE AS 'SELECT to_timestamp(0)';
     DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET search_path = "$user", public, pretended, pg_catalog', current_database());
     END $$;
     -- An owner that saw the server's history begin, and ended.
     INSERT INTO ${schema}.owners (id, host, pid, begun_at, renewed_at, ended_at, timeline)
       SELECT 'long ago in ' || number, 'host', 1, 0, 0, 0, number
       FROM (SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int AS number) AS timeline
       ON CONFLICT DO NOTHING;`,
  );
}

/** Undoes `upForLong` for later connections. */
export async function upAsItIs(database: string): Promise<void> {
  await onDatabase(
    database,
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET search_path', current_database()); END $$`,
  );
}

/**
 * Makes one owner, found by its id or its process id, look silent for longer than any lease; without one, all of them.
 */
export async function silence(url: string, owner?: string | number, schema = 'botctl'): Promise<void> {
  const isOwner = owner === undefined ? '' : `AND ${typeof owner === 'number' ? 'pid' : 'id'} = '${owner}'`;
  await onDatabase(url, `UPDATE ${schema}.owners SET renewed_at = 0 WHERE ended_at IS NULL ${isOwner}`);
}

/** For a process that is killed or stopped: its last message may reach the server late, and must not count. */
export async function silenceUntil(
  url: string,
  pid: number | undefined,
  ended: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await silence(url, pid ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function onDatabase(url: string, sql: string): Promise<void> {
  const client = await connected({ connectionString: url });
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
