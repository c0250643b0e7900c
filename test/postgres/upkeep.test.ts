import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { lockOfWriters } from '../../src/postgres/base.ts';
import { PgConnection } from '../../src/postgres/connection.ts';
import { Notes, notesIn, ownFolder } from '../../src/postgres/notes.ts';
import {
  type Asking,
  acceptDurability,
  acceptSharedLoss,
  connectionFailure,
  findSharedLoss,
  grantsSql,
  isDurabilityAccepted,
  migrateJournal,
  setPolicy,
} from '../../src/postgres/upkeep.ts';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { failureOf } from '../../testing/failure.ts';
import { inHand, newIntent, nowMs } from '../../testing/journals.ts';
import { asRole } from '../../testing/postgres/asRole.ts';
import {
  lookingAfter,
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../../testing/postgres/sharedJournal.ts';

const text = JSON.stringify({ schema: 'botctl-policy/1', limits: { SOL: { day: '20' } } });
const alone = { text, needsTwo: false };
const sets = (asking: Asking) => setPolicy(asking, alone, 'ada');
const standby = 'is a standby';

const rowsOf = (place: SharedPlace, sql: string): Promise<unknown[]> =>
  onServer(place, async (client) => (await client.query(sql)).rows);

/** A role with this right in the journal, and the place as it has it. */
async function newRole(place: SharedPlace, name: string, use: 'run' | 'look'): Promise<SharedPlace> {
  const role = `${place.schema}_${name}`;
  await onServer(place, (client) =>
    client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; ${grantsSql(place.schema, role, use)}`),
  );
  onTestFinished(async () => {
    await onServer(place, (client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
  });
  return { ...place, url: asRole(place.url, role, 'secret') };
}

const change = [
  ['a journal is made', (asking: Asking) => migrateJournal(asking, randomBytes)],
  ['a setting is asked about', isDurabilityAccepted],
  ['a loss is looked for', findSharedLoss],
  ['a policy is set', sets],
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

describe('a policy', () => {
  test('is on record with who gave it, and this machine notes that it was', async () => {
    const place = await newSharedPlace();
    const numbers = await lookingAfter(place, async (asking) => [
      await sets(asking),
      await setPolicy(asking, { ...alone, text: '{}' }, 'bob'),
    ]);
    const kept = (await rowsOf(
      place,
      'SELECT seq::int, text, who, at::float8 FROM policies ORDER BY seq',
    )) as {
      at: number;
    }[];
    expect(kept).toMatchObject([
      { seq: numbers[0], text, who: 'ada' },
      { seq: numbers[1], text: '{}', who: 'bob' },
    ]);
    const journal = await openShared(place);
    expect(await journal.policy()).toMatchObject({ number: numbers[1], text: '{}' });
    const notes = closedAfterTest(notesIn(ownFolder(place.dataFolder, { id: journal.id ?? '' })));
    const ids = kept.map(({ at }) => String(at));
    for (const { what, id } of notes.read()) expect([what, ids.includes(id)]).toEqual(['policy', true]);
    expect(notes.read().at(-1)).toBeDefined();
  });

  test('counts from the last loss on: who knows what is missing?', async () => {
    const place = await newSharedPlace();
    const journal = inHand(await openShared(place));
    const sinceMs = async (): Promise<number | undefined> =>
      (await journal.reads.spending({ asset: 'SOL', sinceHour: 0, recipient: undefined })).sinceMs;
    const madeMs = (await sinceMs()) ?? 0;
    for (const atMs of [madeMs + 9, madeMs + 5, madeMs - 5])
      await onServer(place, (client) => client.query(`INSERT INTO made (at) VALUES (${atMs})`));
    expect(await sinceMs()).toBe(madeMs + 9);
  });

  test('waits for the claims that are being made, because they count too', async () => {
    const place = await newSharedPlace();
    await onServer(place, async (client) => {
      await client.query('BEGIN');
      await client.query(lockOfWriters(place.schema));
      let isSet = false;
      const setting = lookingAfter(place, sets).finally(() => {
        isSet = true;
      });
      const waits = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'advisory'`;
      await expect.poll(async () => isSet || (await client.query(waits)).rowCount === 1).toBe(true);
      expect(isSet).toBe(false);
      await client.query('COMMIT');
      await setting;
    });
  });

  test('that needs two people needs two roles that can decide', async () => {
    const place = await newSharedPlace();
    const set = () => lookingAfter(place, (asking) => setPolicy(asking, { text, needsTwo: true }, 'ada'));
    const first = await newRole(place, 'one', 'run');
    await newRole(place, 'auditor', 'look');
    expect(await failureOf(set)).toMatchObject({
      message: expect.stringContaining(new URL(first.url).username),
    });
    expect(await rowsOf(place, 'SELECT FROM policies')).toEqual([]);
    await newRole(place, 'other', 'run');
    await set();
    expect(await rowsOf(place, 'SELECT FROM policies')).toHaveLength(1);
  });
});

test('who may only send changes nothing of the journal, and hears what is missing', async () => {
  const place = await newSharedPlace();
  const sender = await newRole(place, 'sender', 'run');
  await lookingAfter(sender, async (asking) => {
    for (const [what, changed] of [
      ['policy', () => sets(asking)],
      ['server', () => acceptDurability(asking, 'ada')],
    ] as const)
      expect([what, await failureOf(changed)]).toEqual([
        what,
        expect.objectContaining({ message: expect.stringContaining('may not') }),
      ]);
    // The same connection goes on.
    expect(await isDurabilityAccepted(asking)).toBe(false);
  });
  expect(await rowsOf(place, 'SELECT FROM policies')).toEqual([]);
});

test('who accepted that a server may lose something is on record, and the first stays', async () => {
  const place = await newSharedPlace();
  await lookingAfter(place, async (asking) => {
    const server = { ...asking.server, settings: { ...asking.server.settings, fsync: 'off' } };
    for (const who of ['ada', 'bob']) await acceptDurability({ ...asking, server }, who);
    expect(await isDurabilityAccepted(asking)).toBe(true);
    const kept = `SELECT convert_from(value, 'UTF8')::json AS value FROM meta WHERE name = 'durability'`;
    expect(await rowsOf(place, kept)).toEqual([{ value: { who: 'ada', at: server.nowMs, off: ['fsync'] } }]);
  });
});

describe('a loss that was accepted', () => {
  test('of entries is on record as what was missing, and is noted no more', async () => {
    const place = await newSharedPlace();
    const journal = inHand(await openShared(place));
    const { id } = await journal.begin(newIntent(), 'h', nowMs);
    await journal.close();
    await onServer(place, (client) =>
      client.query('SET session_replication_role = replica; DELETE FROM attempts'),
    );
    await lookingAfter(place, async (asking) => {
      const found = await findSharedLoss(asking);
      const missing = [{ what: 'attempt', id, number: 1, at: nowMs }];
      expect(found?.loss).toEqual({ is: 'records', missing });
      expect(found && (await acceptSharedLoss(asking, found, 'ada'))).toBe(true);
      expect(await rowsOf(place, 'SELECT what, who, detail::json FROM losses')).toEqual([
        { what: 'notes', who: 'ada', detail: missing },
      ]);
      expect(await findSharedLoss(asking)).toBeUndefined();
    });
  });

  test('of what was not copied of a file is on record as that file, and the journal is used again', async () => {
    const place = await newSharedPlace();
    await onServer(place, (client) =>
      client.query(
        `INSERT INTO losses (what, who, at, detail)
         VALUES ('copying', 'ada', 1, 'sum 3 /old disk/j.db'), ('copying', 'ada', 2, 'other 4 /old disk/j.db')`,
      ),
    );
    await expect(openShared(place)).rejects.toMatchObject({ kind: 'copy-not-whole' });
    await lookingAfter(place, async (asking) => {
      const found = await findSharedLoss(asking);
      expect(found?.loss).toEqual({
        ...{ is: 'rest-of-file', path: '/old disk/j.db', copy: 'sum 3 /old disk/j.db' },
      });
      expect(found && (await acceptSharedLoss(asking, found, 'bob'))).toBe(true);
      expect(await rowsOf(place, 'SELECT what, who, detail FROM losses ORDER BY seq')).toEqual([
        { what: 'copying', who: 'ada', detail: 'sum 3 /old disk/j.db' },
        { what: 'copying', who: 'ada', detail: 'other 4 /old disk/j.db' },
        { what: 'given-up', who: 'bob', detail: 'sum 3 /old disk/j.db' },
      ]);
      // Nobody was asked about the other one.
      const next = await findSharedLoss(asking);
      expect(next?.loss).toEqual({
        ...{ is: 'rest-of-file', path: '/old disk/j.db', copy: 'other 4 /old disk/j.db' },
      });
      if (next !== undefined) await acceptSharedLoss(asking, next, 'bob');
      expect(await findSharedLoss(asking)).toBeUndefined();
    });
    await openShared(place);
  });

  test('of a server is on record as the server that is used from then on', async () => {
    const place = await newSharedPlace();
    await onServer(place, (client) => client.query(`INSERT INTO servers VALUES ('another', 1, 1)`));
    await lookingAfter(place, async (asking) => {
      const { systemId, timeline } = asking.server;
      const found = await findSharedLoss(asking);
      expect(found?.loss).toEqual({ is: 'server-changed' });
      expect(found && (await acceptSharedLoss(asking, found, 'ada'))).toBe(true);
      expect(await rowsOf(place, 'SELECT what, who, detail::json FROM losses')).toEqual([
        { what: 'server', who: 'ada', detail: { system_id: systemId, timeline } },
      ]);
      const servers = await rowsOf(place, 'SELECT system_id, timeline::int FROM servers ORDER BY since_ms');
      expect(servers).toEqual([
        { system_id: 'another', timeline: 1 },
        { system_id: systemId, timeline },
      ]);
      expect(await findSharedLoss(asking)).toBeUndefined();
    });
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

const accepts = (asking: Asking) =>
  acceptSharedLoss(
    asking,
    { notes: new Notes(join(asking.dataFolder, 'notes')), loss: { is: 'server-changed' } },
    'ada',
  );

test.each([
  ['a policy', /COMMIT/u, sets],
  ['a policy', /advisory_xact_lock/u, sets],
  ['a policy', /INTO .*policies/u, sets],
  ['a loss', /INTO .*servers/u, accepts],
  ['a loss', /INTO .*losses/u, accepts],
  ['a loss', /INTO .*made/u, accepts],
])('nothing of %s is kept where the server fails at %s', async (_what, at, changed) => {
  const place = await newSharedPlace();
  await lookingAfter(place, async (asking) => {
    const answered: string[] = [];
    failAt(asking.connection, at, answered);
    await expect(changed(asking)).rejects.toThrow('the server failed');
    expect(answered.at(-1)).toBe('ROLLBACK');
  });
  for (const table of ['policies', 'losses', 'servers'])
    expect([table, await rowsOf(place, `SELECT FROM ${table}`)]).toEqual([table, []]);
});

test('what is missing is noted as long as nobody has recorded that it is lost', async () => {
  const place = await newSharedPlace();
  await lookingAfter(place, async (asking) => {
    const note = { what: 'attempt', id: 'x', number: 1, at: nowMs } as const;
    const notes = closedAfterTest(new Notes(join(asking.dataFolder, 'notes')));
    notes.write(note);
    const loss = { is: 'records', missing: [note] } as const;
    failAt(asking.connection, /INTO .*made/u);
    await expect(acceptSharedLoss(asking, { notes, loss }, 'ada')).rejects.toThrow('the server failed');
    expect(notes.read()).toEqual([note]);
  });
});

test('what no standby has is not called done', async () => {
  const place = await newSharedPlace();
  await lookingAfter(place, async (asking) => {
    vi.spyOn(asking.connection, 'warnings', 'get').mockReturnValue(['01000']);
    const failed = await sets(asking).catch((error: unknown) => error);
    expect(connectionFailure(asking.connection, place.url, failed)).toMatchObject({ kind: 'not-on-standby' });
  });
});

test('nothing is changed where no transaction begins', async () => {
  await lookingAfter(await newSharedPlace(), async (asking) => {
    asking.connection.begin = () => Promise.reject(new Error('the server failed'));
    const answered: string[] = [];
    failAt(asking.connection, /never/u, answered);
    await expect(acceptDurability(asking, 'ada')).rejects.toThrow('the server failed');
    expect(answered).toEqual(['ROLLBACK']);
  });
});

test('a connection on which nothing can be taken back is not used again', async () => {
  const place = await newSharedPlace();
  await lookingAfter(place, async (asking) => {
    failAt(asking.connection, /COMMIT|ROLLBACK/u);
    await expect(sets(asking)).rejects.toThrow('the server failed');
    expect(asking.connection.isBroken).toBe(true);
  });
  expect(await rowsOf(place, 'SELECT FROM policies')).toEqual([]);
});

test('who may not make a journal hears so, and any other failure is told as it is', async () => {
  const place = await newSharedPlace();
  const sender = await newRole(place, 'sender', 'run');
  await lookingAfter(sender, async (asking) => {
    const inNew = { ...asking, schema: `${place.schema}_new` };
    expect(await failureOf(() => migrateJournal(inNew, randomBytes))).toMatchObject({
      message: expect.stringContaining('may not'),
    });
    failAt(asking.connection, /CREATE SCHEMA/u);
    await expect(migrateJournal(inNew, randomBytes)).rejects.toThrow('the server failed');
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

test('the time in which a server must be met is not the time in which it must answer', async () => {
  const answerWithin = vi.spyOn(PgConnection.prototype, 'answerWithin');
  onTestFinished(() => answerWithin.mockRestore());
  await lookingAfter(await newSharedPlace(), async () => {});
  expect(answerWithin.mock.lastCall).toEqual([]);
});
