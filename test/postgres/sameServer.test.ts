import { describe, expect, test } from 'vitest';
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
