import type { Client } from 'pg';
import { afterAll } from 'vitest';
import { describeBreaches } from '../once/journal/contract/breaches.ts';
import { connected } from '../support/postgres/client.ts';
import { newSharedPlace } from '../support/postgres/sharedJournal.ts';

for (const version of [18, 15] as const) {
  let connecting: Promise<Client> | undefined;
  afterAll(async () => (await connecting)?.end());
  describeBreaches(`a shared journal on PostgreSQL ${version}`, async () => {
    connecting ??= newSharedPlace({ version }).then(({ url, schema }) =>
      connected({ connectionString: url.replace(/\?.*$/u, ''), options: `-c search_path=${schema}` }),
    );
    const client = await connecting;
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
}
