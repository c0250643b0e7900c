import { expect, test } from 'vitest';
import type { BaseUrl } from '../../src/once/intent/baseUrl.ts';
import { newSharedPlace, onServer, openShared } from '../../testing/postgres/sharedJournal.ts';

/** More than one statement takes. */
const rows = 20_002;

test('all rows of a batch are noted as reported, however many, and no other batch’s', async () => {
  const place = await newSharedPlace();
  await onServer(place, (client) =>
    client.query(`SET session_replication_role = replica;
      INSERT INTO intents (id, kind, base_url, bot, named_by, name, key, identity, fingerprint, body, created_at, updated_at,
        state)
      SELECT 'i' || n, 'message', 'u', 'b', 'row', CASE WHEN n <= ${rows} THEN 'payroll' ELSE 'other' END, 'k' || n, 'd',
        'f', '{}', 1, 1, CASE WHEN n = 2 THEN 'rejected' ELSE 'accepted' END FROM generate_series(1, ${rows + 1}) n`),
  );
  const journal = await openShared(place);
  const scope = { baseUrl: 'u' as BaseUrl, kind: 'message' } as const;
  await journal.commit((tx) => tx.markRowsReported(scope, 'payroll', 7), { unsynced: true });
  const reported = await onServer(place, async (client) => {
    const { rows: found } = await client.query(
      'SELECT name, count(reported_at)::int FROM intents GROUP BY 1 ORDER BY 1',
    );
    return found;
  });
  expect(reported).toEqual([
    { name: 'other', count: 0 },
    { name: 'payroll', count: rows - 1 },
  ]);
});
