import { setPolicy } from '../../../src/journal/postgres/spendingStep.ts';
import { inHand } from '../../../testing/journals.ts';
import {
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../../../testing/postgres/sharedJournal.ts';
import { describeSpending } from '../../policy/spendingModel.ts';

describeSpending<SharedPlace>(
  'on PostgreSQL',
  {
    newPlace: () => newSharedPlace(),
    open: async (place) => inHand(await openShared(place)),
    declareDead: (place, owner) =>
      onServer(place, async (client) => {
        const sending = 'intent IN (SELECT intent FROM standing WHERE owner = $1)';
        await client.query('UPDATE owners SET ended_at = renewed_at WHERE id = $1', [owner]);
        await client.query(
          `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 1
           WHERE verdict IS NULL AND ${sending}`,
          [owner],
        );
        await client.query(`UPDATE standing SET state = 'unknown', owner = NULL WHERE owner = $1`, [owner]);
      }),
    startCounting: (place, atMs) =>
      onServer(place, async (client) => {
        const run = (sql: string, values?: unknown[]) => client.query(sql.replaceAll('@schema.', ''), values);
        await run(setPolicy.seedSpending, [atMs]);
        await run(setPolicy.seedPaid);
        await run(setPolicy.start, [atMs]);
      }),
  },
  Number(process.env.BOTCTL_RUNS ?? 8),
);
