// "approvals": "other" on a server: a claim counts no approval by the database role that proposed.
import { expect, test } from 'vitest';
import { shownNow } from '../../src/once/engine/asShown.ts';
import { decideProposal } from '../../src/once/engine/resume.ts';
import { unitsOf } from '../../src/once/entry/amount.ts';
import type { Journal } from '../../src/once/journal/journal.ts';
import { spendWithin } from '../../src/policy/spend.ts';
import { grantsSql } from '../../src/postgres/upkeep.ts';
import { newEntry, nowMs } from '../support/journals.ts';
import { policyOf } from '../support/policies.ts';
import { asRole } from '../support/postgres/asRole.ts';
import { newSharedPlace, onServer, openShared } from '../support/postgres/sharedJournal.ts';

test('an approval by the role that proposed is not counted, and another role’s is', async () => {
  const place = await newSharedPlace();
  const role = `approves_in_${place.schema}`;
  await onServer(place, async (client) => {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
    await client.query(grantsSql(place.schema, role));
  });
  const own = await openShared(place);
  const others = await openShared({ ...place, url: asRole(place.url, role, 'p') });
  expect(others.role).toBe(role);
  const word = { who: 'me@here', atMs: nowMs, reason: 'r', signature: undefined };
  const propose = async (name: string): Promise<string> => {
    const payment = '["a","sol","2"]';
    const proposal = newEntry({ kind: 'transfer', namedBy: 'once', name, payment });
    await own.commit(async (tx) => {
      await tx.propose(proposal, 'approval', nowMs);
      await tx.decide(proposal.id, { ...word, kind: 'proposed', fingerprint: proposal.fingerprint });
    });
    return proposal.id;
  };
  const policies = [policyOf({ limits: { SOL: {} }, approve_above: { SOL: '1' }, approvals: 'other' })];
  const spend = { to: 'a', asset: 'SOL', assetNames: ['sol'], units: unitsOf('2') };
  const approveBy = async (journal: Journal, id: string) =>
    decideProposal(await shownNow(id, journal.reads), { ...word, kind: 'approved' }, journal);
  const claim = (id: string) =>
    own.commit(async (tx) => {
      const order = { spend, entry: await tx.get(id), proposes: false, isShared: own.isShared };
      const { is } = await spendWithin(policies, order, tx, nowMs);
      if (is === 'needs-approval') await tx.hold(id, 'approval', nowMs);
      return is;
    });
  const first = await propose('first');
  await approveBy(own, first);
  expect(await claim(first)).toBe('needs-approval');
  await approveBy(others, first);
  expect(await claim(first)).toBe('allowed');
  // Whoever is first: each approval is kept, and the one that counts is found.
  const second = await propose('second');
  for (const journal of [own, others, own]) await approveBy(journal, second);
  expect(await claim(second)).toBe('allowed');
});
