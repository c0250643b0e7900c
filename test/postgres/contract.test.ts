import { describe } from 'vitest';
import { describeContract } from '../once/journal/contract/contract.ts';
import { inHand } from '../support/journals.ts';
import {
  onServer,
  openShared,
  placesUsedAgain,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';

describe.each([18, 15] as const)('on PostgreSQL %i', (version) => {
  describeContract<SharedPlace>('a shared journal', {
    newPlace: placesUsedAgain(version),
    open: async (place) => inHand(await openShared(place)),
    declareDead: (place, owner) =>
      onServer(place, async (client) => {
        const sending = 'entry IN (SELECT seq FROM entries WHERE owner = $1)';
        await client.query('UPDATE owners SET ended_at = renewed_at WHERE id = $1', [owner]);
        await client.query(
          `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 1 WHERE ${sending}`,
          [owner],
        );
        await client.query(`UPDATE entries SET state = 'unknown', owner = NULL WHERE owner = $1`, [owner]);
      }),
  });
});
