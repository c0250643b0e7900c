import { Client } from 'pg';
import { describeBreaches } from '../once/journal/contract/breaches.ts';
import { newSharedPlace } from '../support/postgres/sharedJournal.ts';

for (const version of [18, 15] as const) {
  let place: ReturnType<typeof newSharedPlace> | undefined;
  describeBreaches(`a shared journal on PostgreSQL ${version}`, async () => {
    place ??= newSharedPlace({ version });
    const { url, schema } = await place;
    const client = new Client({ connectionString: url.replace(/\?.*$/u, '') });
    await client.connect();
    await client.query(`SET search_path = ${schema}; BEGIN;
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
      close: () => client.end(),
    };
  });
}
