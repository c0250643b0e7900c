// However many intents a shared journal has, what is about few of them reads few rows, and no whole table: seen in what
// the server counts for a session that did nothing else.
import { expect, test } from 'vitest';
import { inHand, type JournalInHand } from '../../testing/journals.ts';
import type { Version } from '../../testing/postgres/binaries.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import { newPlaceIn, onServer, openShared, type SharedPlace } from '../../testing/postgres/sharedJournal.ts';
import { fewChanged, fewRead, fill, indexed } from '../once/journal/contract/questions.ts';

type Reads = { readonly scans: number; readonly fetched: number };

/** Of the tables that are large. A session's counts are there when it is gone. */
async function readsYet(place: SharedPlace): Promise<Reads> {
  const others = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  return onServer(place, async (client) => {
    await expect
      .poll(async () => (await client.query(others)).rowCount, { timeout: 20_000, interval: 5 })
      .toBe(0);
    const { rows } =
      await client.query(`SELECT sum(seq_scan)::int AS scans, sum(idx_tup_fetch)::int AS fetched
      FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid WHERE c.reltuples > 500`);
    return rows[0];
  });
}

async function reads(place: SharedPlace, work: (journal: JournalInHand) => Promise<unknown>): Promise<Reads> {
  const before = await readsYet(place);
  const journal = await openShared(place);
  await work(inHand(journal));
  await journal.close();
  const after = await readsYet(place);
  return { scans: after.scans - before.scans, fetched: after.fetched - before.fetched };
}

async function filled(version: Version): Promise<SharedPlace> {
  const server = await sharedServer(version);
  const place = await newPlaceIn(await server.newDatabase());
  await reads(place, fill);
  await onServer(place, (client) => client.query('ANALYZE'));
  return place;
}

test.each<Version>([18, 15])('PostgreSQL %i reads no whole table', async (version) => {
  const all = await reads(await filled(version), async (journal) => {
    for (const [, work] of [...indexed, ...fewChanged]) await work(journal);
  });
  expect(all.scans).toBe(0);
});

test('what is about few reads few rows', { timeout: 60_000 }, async () => {
  const place = await filled(18);
  const found: string[] = [];
  for (const [what, work] of [...fewRead, ...fewChanged]) {
    const { fetched } = await reads(place, work);
    if (fetched > 200) found.push(`${what}: ${fetched} rows`);
  }
  expect(found).toEqual([]);
});
