import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PgConnection } from '../../src/postgres/connection.ts';
import type { JournalFacts, ServerFacts } from '../../src/postgres/handshake.ts';
import { Notes, sameServerAsBefore } from '../../src/postgres/notes.ts';
import { failureOf } from '../../testing/failure.ts';
import { inHand, newFolder, newIntent, nowMs } from '../../testing/journals.ts';
import {
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../../testing/postgres/sharedJournal.ts';
import { upForLong } from '../../testing/postgres/silence.ts';

/** As if the journal had only ever been on another server, or on this one before a promotion. */
async function cameFrom(place: SharedPlace, other: string): Promise<void> {
  await onServer(place, (client) =>
    client.query(`SET session_replication_role = replica; UPDATE servers SET ${other}, since_ms = 0`),
  );
}

const serversOf = (place: SharedPlace): Promise<number> =>
  onServer(place, async (client) => (await client.query('SELECT FROM servers')).rows.length);

async function begun(place: SharedPlace): Promise<void> {
  const journal = inHand(await openShared(place));
  await journal.begin(newIntent(), 'h', nowMs);
  await journal.close();
}

describe.each(["system_id = '7'", 'timeline = 7'])('a journal that was where %s', (other) => {
  test('is not used by a machine that cannot tell whether it is whole, until another one has', async () => {
    const place = await newSharedPlace();
    const machine = { ...place, dataFolder: newFolder() };
    await begun(place);
    await cameFrom(place, other);
    expect(await failureOf(() => openShared(machine))).toMatchObject({
      code: 'journal-lost',
      message: expect.stringContaining('cannot tell whether anything is missing.'),
    });
    expect(await serversOf(place)).toBe(1);
    await (await openShared(place)).close();
    expect(await serversOf(place)).toBe(2);
    await (await openShared(machine)).close();
  });
});

test('on a server that is new to the journal, nobody is dead who could not renew a lease there yet', async () => {
  const place = await newSharedPlace();
  await begun(place);
  await upForLong(place.url, place.schema);
  await cameFrom(place, 'timeline = 7');
  await onServer(place, (client) =>
    client.query(`INSERT INTO owners (id, host, pid, begun_at, renewed_at) VALUES ('silent', 'h', 1, 1, 1)`),
  );
  expect(await inHand(await openShared(place)).ownerLives('silent')).toBe(true);
  await upForLong(place.url, place.schema);
  expect(await inHand(await openShared(place)).ownerLives('silent')).toBe(false);
});

describe('sameServerAsBefore', () => {
  const server = { systemId: 's', timeline: 1 } as ServerFacts;
  const journalOf = (...servers: JournalFacts['servers']) => ({ servers }) as unknown as JournalFacts;
  const same = (steps: Partial<PgConnection>, journal: JournalFacts) =>
    sameServerAsBefore(
      { begin: async () => {}, query: async () => ({}), ...steps } as unknown as PgConnection,
      'botctl',
      'p',
      { server, journal },
      new Notes(join(newFolder(), 'notes')),
    );

  test('asks nothing where nothing was noted and the server is known', async () => {
    const never = () => Promise.reject(new Error('asked'));
    const known = journalOf({ ...server, sinceMs: 1 });
    expect(await same({ begin: never, query: never, ask: never }, known)).toBe(false);
  });

  test.each(['begin', 'INSERT', 'COMMIT'])('fails where the server fails at %s', async (step) => {
    const fails = async (sql: string): ReturnType<PgConnection['query']> => {
      if (sql.startsWith(step)) throw new Error(step);
      return { rows: [] } as never;
    };
    const begin = async () => void (await fails('begin'));
    await expect(same({ begin, query: fails }, journalOf())).rejects.toThrow(step);
    expect(await same({}, journalOf())).toBe(true);
  });
});
