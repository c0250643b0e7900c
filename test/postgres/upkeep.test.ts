import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Note } from '../../src/once/journal/note.ts';
import type { PgConnection } from '../../src/postgres/connection.ts';
import {
  type Asking,
  acceptSharedLoss,
  connectionFailure,
  findSharedLoss,
  grantsSql,
  migrateJournal,
} from '../../src/postgres/upkeep.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { failureOf } from '../support/failure.ts';
import { inHand, newEntry, nowMs } from '../support/journals.ts';
import { asRole } from '../support/postgres/asRole.ts';
import {
  lookingAfter,
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';

const standby = 'is a standby';

const rowsOf = (place: SharedPlace, sql: string): Promise<unknown[]> =>
  onServer(place, async (client) => (await client.query(sql)).rows);

/** A role with this right in the journal, and the place as it has it. */
async function newRole(place: SharedPlace, name: string): Promise<SharedPlace> {
  const role = `${place.schema}_${name}`;
  await onServer(place, (client) =>
    client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; ${grantsSql(place.schema, role)}`),
  );
  onTestFinished(async () => {
    await onServer(place, (client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
  });
  return { ...place, url: asRole(place.url, role, 'secret') };
}

const change = [
  ['a journal is made', (asking: Asking) => migrateJournal(asking)],
  ['a loss is looked for', findSharedLoss],
] as const;

test.each(change)('%s at the server that takes changes, and nowhere else', async (_what, changed) => {
  const place = await newSharedPlace();
  await lookingAfter(place, async (asking) => {
    const following = { ...asking, server: { ...asking.server, isStandby: true } };
    const failed = await failureOf(() => changed(following) as Promise<unknown>);
    expect(failed.message).toContain(standby);
    await changed(asking);
  });
});

test.each(change.slice(1))('%s only in a journal of this release', async (_what, changed) => {
  const place = await newSharedPlace();
  await onServer(place, (client) =>
    client.query(`SET session_replication_role = replica;
      UPDATE meta SET value = convert_to('99', 'UTF8') WHERE name = 'journal-version'`),
  );
  await lookingAfter(place, async (asking) => {
    expect(await failureOf(() => changed(asking) as Promise<unknown>)).toMatchObject({
      code: 'journal-schema',
    });
  });
});

test('a loss that was accepted is on record as what was missing, and is noted no more', async () => {
  const place = await newSharedPlace();
  const journal = inHand(await openShared(place));
  const { id } = await journal.begin(newEntry(), 'h', nowMs);
  await journal.close();
  await onServer(place, (client) =>
    client.query('SET session_replication_role = replica; DELETE FROM attempts'),
  );
  await lookingAfter(place, async (asking) => {
    const found = await findSharedLoss(asking);
    const missing = [{ entry: id, number: 1, atMs: nowMs }];
    expect(found?.loss).toEqual({ isGone: false, missing });
    if (found !== undefined) await acceptSharedLoss(asking, found, 'ada');
    expect(await rowsOf(place, 'SELECT who, detail::json FROM losses')).toEqual([
      { who: 'ada', detail: { isGone: false, missing } },
    ]);
    expect(await findSharedLoss(asking)).toBeUndefined();
  });
});

/** As if the server failed at this statement, a moment after it was asked. */
function failAt(connection: PgConnection, at: RegExp, answered: string[] = []): void {
  const query = connection.query.bind(connection);
  connection.query = async (sql, values) => {
    const answer = at.test(sql) ? undefined : await query(sql, values);
    await setImmediate();
    if (answer === undefined) throw new Error('the server failed');
    answered.push(sql);
    return answer;
  };
}

const known = { entry: 'x', number: 1, atMs: nowMs };
const noteIn = ({ dataFolder }: Asking): Note => closedAfterTest(new Note(join(dataFolder, 'note')));

const accepts = (asking: Asking) =>
  acceptSharedLoss(asking, { note: noteIn(asking), loss: { isGone: false, missing: [known] } }, 'ada');

test.each([
  ['COMMIT', /COMMIT/u, false],
  ['the record', /INTO .*losses/u, false],
  ['COMMIT, and at taking it back', /COMMIT|ROLLBACK/u, true],
])('nothing of a loss is kept, nor forgotten, where the server fails at %s', async (_what, at, isBroken) => {
  const place = await newSharedPlace();
  await lookingAfter(place, async (asking) => {
    const answered: string[] = [];
    noteIn(asking).note(known);
    failAt(asking.connection, at, answered);
    await expect(accepts(asking)).rejects.toThrow('the server failed');
    expect([answered.at(-1) === 'ROLLBACK', asking.connection.isBroken]).toEqual([!isBroken, isBroken]);
    expect(noteIn(asking).noted()).toEqual([known]);
  });
  expect(await rowsOf(place, 'SELECT FROM losses')).toEqual([]);
});

test('what no standby has is not called done', async () => {
  const place = await newSharedPlace();
  await lookingAfter(place, async (asking) => {
    vi.spyOn(asking.connection, 'warnings', 'get').mockReturnValue(['01000']);
    const failed = await accepts(asking).catch((error: unknown) => error);
    expect(connectionFailure(asking.connection, place.url, failed)).toMatchObject({ kind: 'not-on-standby' });
  });
});

test('who may not make a journal hears so, and any other failure is told as it is', async () => {
  const place = await newSharedPlace();
  const sender = await newRole(place, 'sender');
  await lookingAfter(sender, async (asking) => {
    const inNew = { ...asking, schema: `${place.schema}_new` };
    expect(await failureOf(() => migrateJournal(inNew))).toMatchObject({
      message: expect.stringContaining('may not'),
    });
    failAt(asking.connection, /CREATE SCHEMA/u);
    await expect(migrateJournal(inNew)).rejects.toThrow('the server failed');
  });
});

test('a server that stores other text than UTF-8 is not met', async () => {
  const place = await newSharedPlace();
  const name = `${place.schema}_latin`;
  await onServer(place, (client) =>
    client.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`),
  );
  const other = Object.assign(new URL(place.url), { pathname: `/${name}` });
  expect(await failureOf(() => lookingAfter({ ...place, url: other.href }, async () => {}))).toMatchObject({
    message: expect.stringContaining('LATIN1'),
  });
});

test('an error of a connection that stands is the server’s answer, and any other is its silence', async () => {
  const place = await newSharedPlace();
  await lookingAfter(place, async ({ connection }) => {
    const error = await connection.query('SELECT nonsense').catch((caught: unknown) => caught);
    expect(connectionFailure(connection, 'p', error)).toBe(error);
    connection.destroy();
    const failure = connectionFailure(connection, 'p', error);
    expect(await failureOf(() => Promise.reject(failure))).toMatchObject({ code: 'journal-unreachable' });
  });
});
