import type { Client } from 'pg';
import { afterAll } from 'vitest';
import { describeBreaches } from '../once/journal/contract/breaches.ts';
import { connected } from '../support/postgres/client.ts';
import { inTurn } from '../support/postgres/inTurn.ts';
import { newSharedPlace } from '../support/postgres/sharedJournal.ts';

const connecting = inTurn((version) => {
  let client: Promise<Client> | undefined;
  afterAll(async () => (await client)?.end());
  return () => {
    client ??= newSharedPlace({ version }).then(({ url, schema }) =>
      connected({ connectionString: url.replace(/\?.*$/u, ''), options: `-c search_path=${schema}` }),
    );
    return client;
  };
});

describeBreaches('a shared journal', async () => {
  const client = await connecting()();
  await client.query(`BEGIN;
    INSERT INTO owners (id, host, pid, begun_at, renewed_at) VALUES ('o', 'h', 1, 1, 1), ('p', 'h', 2, 1, 1)`);
  return {
    run: async (sql) => {
      const inPostgres = sql.replaceAll('@body', `'{}'`).replaceAll('@other', `'{'`);
      await client.query('SAVEPOINT before');
      try {
        await client.query(inPostgres);
      } catch (thrown) {
        await client.query('ROLLBACK TO before');
        throw thrown;
      }
    },
    row: async (sql) => (await client.query(sql)).rows[0],
    close: async () => void (await client.query('ROLLBACK')),
  };
});
