// However many entries a shared journal has, what is about few of them reads few rows, and no whole table: seen in what
// the server counts for the line that asks.
import { expect, onTestFinished, test, vi } from 'vitest';
import { PgConnection } from '../../src/postgres/connection.ts';
import { type Deed, fewChanged, fewRead, fill, indexed } from '../once/journal/contract/questions.ts';
import { inHand, nowMs } from '../support/journals.ts';
import type { Version } from '../support/postgres/binaries.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { addPaid, newPlaceIn, onServer, openShared } from '../support/postgres/sharedJournal.ts';

type Reads = { readonly scans: number; readonly fetched: number };

/** Of the tables that are large, asked on the line that has read them, which first says what it has counted. */
async function readsYet(line: PgConnection): Promise<Reads> {
  await line.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await line.query(`SELECT sum(seq_scan)::int AS scans, sum(idx_tup_fetch)::int AS fetched
    FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid WHERE c.reltuples > 500`);
  return rows[0] as Reads;
}

/** The last ten of 60 entries, with all that belongs to them, 54 times more: what `fill` does with 600, in one statement. */
const more = `SET session_replication_role = replica;
  INSERT INTO entries SELECT (jsonb_populate_record(o, jsonb_build_object('seq', o.seq + 100000 * nth, 'id', 'filled-' || n,
      'key', 'key-' || n, 'identity', 'identity-' || n, 'payment', '["ada","sol","' || n || '"]', 'whole', n, 'row_id', 'r' || n,
      'created_at', o.created_at + 10000 * nth, 'updated_at', o.created_at + 10000 * nth, 'tried_at', o.created_at + 10000 * nth))).*
    FROM entries o, generate_series(1, 54) nth, LATERAL (SELECT substr(o.id, 8)::int + 10 * nth AS n) number WHERE o.id LIKE 'filled-5_';
  ${['attempts', 'decisions', 'receipts', 'observations']
    .map(
      (table) => `INSERT INTO ${table} SELECT (jsonb_populate_record(o,
        jsonb_build_object('seq', o.seq + 100000 * nth, 'entry', o.entry + 100000 * nth, 'value', o.seq || '-' || nth))).*
      FROM ${table} o JOIN entries ON entries.seq = o.entry AND id LIKE 'filled-5_', generate_series(1, 54) nth;`,
    )
    .join('\n')}`;

/** What a day of 20,000 payments spent is asked of one index alone. */
const spent: Deed = ['what a day spent', (to) => to.spending('SOL', nowMs - 86_400_000)];

test.each<Version>([18, 15])(
  'PostgreSQL %i reads few rows for what is about few, and no whole table',
  async (version) => {
    const place = await newPlaceIn(await (await sharedServer(version)).newDatabase());
    const journal = inHand(await openShared(place));
    await fill(journal, 60);
    await journal.close();
    await onServer(place, (client) => client.query(more));
    await addPaid(place, 20_000);
    const connecting = vi.spyOn(PgConnection, 'connect');
    onTestFinished(() => void connecting.mockRestore());
    const asked = inHand(await openShared(place));
    const line = (await connecting.mock.results[0]?.value) as PgConnection;
    const few = new Set([...fewRead, ...fewChanged, spent]);
    const found: string[] = [];
    for (const deed of new Set([spent, ...indexed, ...fewChanged])) {
      const [what, work] = deed;
      const before = await readsYet(line);
      await work(asked);
      const after = await readsYet(line);
      if (after.scans > before.scans) found.push(`${what}: ${after.scans - before.scans} tables`);
      if (few.has(deed) && after.fetched > before.fetched + 200)
        found.push(`${what}: ${after.fetched - before.fetched} rows`);
    }
    expect(found).toEqual([]);
    // It would have been seen.
    const before = await readsYet(line);
    await line.query(`SELECT FROM ${place.schema}.entries WHERE fingerprint = 'f'`);
    expect((await readsYet(line)).scans).toBe(before.scans + 1);
  },
);
