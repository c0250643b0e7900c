// However many entries a shared journal has, what is about few of them reads few rows, and no whole table: seen in what
// the server counts for a session that did nothing else.
import { expect, test } from 'vitest';
import { fewChanged, fewRead, fill, indexed } from '../once/journal/contract/questions.ts';
import { inHand, type JournalInHand } from '../support/journals.ts';
import type { Version } from '../support/postgres/binaries.ts';
import { sharedServer } from '../support/postgres/server.ts';
import {
  addPaid,
  newPlaceIn,
  onServer,
  openShared,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';

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

/** `before`: what was read when the last one was over. */
async function reads(
  place: SharedPlace,
  work: (journal: JournalInHand) => Promise<unknown>,
  before: Reads,
): Promise<Reads & { readonly after: Reads }> {
  const journal = await openShared(place);
  await work(inHand(journal));
  await journal.close();
  const after = await readsYet(place);
  return { scans: after.scans - before.scans, fetched: after.fetched - before.fetched, after };
}

async function filled(version: Version): Promise<SharedPlace> {
  const server = await sharedServer(version);
  const place = await newPlaceIn(await server.newDatabase());
  const journal = await openShared(place);
  await fill(inHand(journal));
  await journal.close();
  await addPaid(place, 20_000);
  return place;
}

test.each<Version>([18, 15])(
  'PostgreSQL %i reads few rows for what is about few, and no whole table',
  { timeout: 120_000 },
  async (version) => {
    const place = await filled(version);
    const few = new Set([...fewRead, ...fewChanged]);
    const found: string[] = [];
    let yet = await readsYet(place);
    for (const deed of new Set([...indexed, ...fewChanged])) {
      const [what, work] = deed;
      const { scans, fetched, after } = await reads(place, work, yet);
      yet = after;
      if (scans > 0) found.push(`${what}: ${scans} tables`);
      if (few.has(deed) && fetched > 200) found.push(`${what}: ${fetched} rows`);
    }
    expect(found).toEqual([]);
  },
);
