import { expect, test } from 'vitest';
import { parseAddress } from '../../src/postgres/address.ts';
import { PgConnection } from '../../src/postgres/connection.ts';
import { askAll, askJournal, askServer } from '../../src/postgres/handshake.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { inHand, newEntry, nowMs } from '../support/journals.ts';
import { asRole } from '../support/postgres/asRole.ts';
import type { Version } from '../support/postgres/binaries.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { newPlaceIn, onServer, openShared } from '../support/postgres/sharedJournal.ts';

test('who may only look opens the journal, and sees that', async () => {
  const place = await newPlaceIn(await (await sharedServer(18)).newDatabase());
  const looker = `looker_${Date.now()}`;
  await onServer(place, (client) =>
    client.query(`CREATE ROLE ${looker} LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA ${place.schema} TO ${looker};
      GRANT SELECT ON meta, owners, entries, attempts, decisions, observations TO ${looker}`),
  );
  const looking = await openShared({ ...place, url: asRole(place.url, looker, 'secret') }, { use: 'look' });
  expect([looking.isReadOnly, await looking.reads.get('nobody')]).toEqual([true, undefined]);
});

test.each<[Version, object]>([
  [18, { transaction_timeout: '20000' }],
  [15, {}],
])('a machine that is cut off holds its locks on PostgreSQL %i for seconds only', async (version, known) => {
  const { url } = await sharedServer(version);
  const line = closedAfterTest(
    await PgConnection.connect(parseAddress(url, 'BOTCTL_JOURNAL', {}, () => 'nobody')),
  );
  await askServer(line);
  const { rows } = await line.query(`SELECT name, setting FROM pg_settings
    WHERE name ~ '^tcp_(keepalives|user)_|^transaction_timeout$'`);
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    tcp_keepalives_count: '3',
    tcp_keepalives_idle: '5',
    tcp_keepalives_interval: '2',
    tcp_user_timeout: '10000',
    ...known,
  });
});

test('all is had at once; where a part of it is refused or of another release, nothing is', async () => {
  const place = await newPlaceIn(await (await sharedServer(18)).newDatabase());
  const address = parseAddress(place.url, 'BOTCTL_JOURNAL', {}, () => 'nobody');
  const line = closedAfterTest(await PgConnection.connect(address));
  const all = await askAll(line, place.schema);
  const server = await askServer(line);
  expect(all).toEqual({
    server: { ...server, nowMs: expect.any(Number) },
    journal: await askJournal(line, place.schema),
  });
  expect(await askAll(line, 'elsewhere')).toBeUndefined();
  await line.query(`UPDATE ${place.schema}.meta SET value = '99' WHERE name = 'journal-version'`);
  expect(await askAll(line, place.schema)).toBeUndefined();
});

test('who looks is told what is lost, and looks on', async () => {
  const place = await newPlaceIn(await (await sharedServer(18)).newDatabase());
  const journal = inHand(await openShared(place));
  const { id } = await journal.begin(newEntry(), 'h', nowMs);
  await journal.close();
  expect((await openShared(place, { use: 'look' })).lost).toBeUndefined();
  await onServer(place, (client) =>
    client.query('SET session_replication_role = replica; DELETE FROM attempts'),
  );
  const looking = await openShared(place, { use: 'look' });
  expect(looking.lost).toMatchObject({ kind: 'lost', fields: { loss: { isGone: false } } });
  expect(await looking.reads.get(id)).toMatchObject({ id });
});
