import { expect, test } from 'vitest';
import { grantsSql, lookAtShared } from '../../src/postgres/upkeep.ts';
import { done, inHand, newIntent, nowMs } from '../../testing/journals.ts';
import { asRole } from '../../testing/postgres/asRole.ts';
import { lookingAfter, newSharedPlace, onServer, openShared } from '../../testing/postgres/sharedJournal.ts';
import { silence } from '../../testing/postgres/silence.ts';

test.each([18, 15] as const)('what a look at a shared journal shows on PostgreSQL %i', async (version) => {
  const place = await newSharedPlace({ version });
  const journal = inHand(await openShared(place));
  await done(journal, 'accepted');
  const unknown = await done(journal, 'unknown');
  await journal.begin(newIntent(), 'hash', nowMs + 1);
  await lookingAfter(place, async (asking) => {
    const look = await lookAtShared(asking);
    expect(look).toMatchObject({
      counts: { accepted: 1, unknown: 1, sending: 1 },
      oldestUnknown: { id: unknown, mayHaveLandedAtMs: nowMs },
      missing: [],
    });
  });
});

test('a look as a runner at what waits and whose owner is silent', async () => {
  const place = await newSharedPlace();
  const role = `looks_as_runner_of_${place.schema}`;
  await onServer(place, async (client) => {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
    await client.query(grantsSql(place.schema, role));
  });
  const silent = inHand(await openShared(place));
  const { id: lost } = await silent.begin(newIntent(), 'hash', nowMs);
  await silence(place.url, silent.self(), place.schema);
  const journal = inHand(await openShared(place));
  const paying = { kind: 'transfer', payment: '["a","sol","1"]' } as const;
  for (const kind of ['proposed', 'approved', 'proposed'] as const) {
    const { id, fingerprint } = await journal.propose(newIntent(paying), 'approval', nowMs);
    await journal.decide(id, { kind, who: 'w', atMs: nowMs, reason: 'r', signature: undefined, fingerprint });
  }
  const held = await done(journal, 'held', {}, nowMs + 1);
  await done(journal, 'unknown', {}, nowMs + 1);
  await journal.begin(newIntent(), 'hash', nowMs - 1);
  await lookingAfter({ ...place, url: asRole(place.url, role, 'p') }, async (asking) => {
    const look = await lookAtShared(asking);
    expect(look).toMatchObject({
      counts: { unknown: 1, sending: 2, held: 3, open: 1 },
      proposals: { held: 2, open: 1 },
      oldestUnknown: { id: lost, createdAtMs: nowMs, mayHaveLandedAtMs: undefined },
      missing: [],
    });
    expect(held).toBeDefined();
    expect(look.proposals).toEqual({ held: 2, open: 1 });
  });
});
