import { expect, test } from 'vitest';
import { lookAtShared } from '../../src/postgres/upkeep.ts';
import { done, inHand, newIntent, nowMs } from '../../testing/journals.ts';
import { lookingAfter, newSharedPlace, openShared } from '../../testing/postgres/sharedJournal.ts';

test.each([18, 15] as const)('what a look at a shared journal shows on PostgreSQL %i', async (version) => {
  const place = await newSharedPlace({ version });
  const journal = inHand(await openShared(place));
  await done(journal, 'accepted');
  const unknown = await done(journal, 'unknown');
  await journal.begin(newIntent(), 'hash', nowMs + 1);
  await lookingAfter(place, async (asking) => {
    const look = await lookAtShared({ ...asking, now: Date.now });
    expect(look).toMatchObject({
      standbys: { names: '', synchronous: 0 },
      role: { name: 'postgres', isSuperuser: true, ownsTables: true },
      runners: 1,
      counts: { accepted: 1, unknown: 1, sending: 1 },
      oldestUnknown: { id: unknown },
      notes: { held: 1, missing: [], isNewServer: false },
      lateReplies: undefined,
    });
    expect(Math.abs(look.aheadMs)).toBeLessThan(2_000 + look.latencyMs);
    expect(look.latencyMs).toBeGreaterThan(0);
  });
});
